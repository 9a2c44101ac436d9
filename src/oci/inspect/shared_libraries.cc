#include "kinetic/try.h"

#include "base/strings.h"
#include "oci/inspect/elf.h"

#include <fmt/format.h>

#include <deque>
#include <optional>
#include <utility>

namespace kinetic::oci {
namespace {

constexpr std::uint64_t kMaxLibraryBytes = 1U << 30;

struct Dependency {
  std::string name;
  Path needed_by;
  std::vector<Path> run_path;   ///< searched first
  std::vector<Path> inherited;  ///< the DT_RPATH of the chain that loads it
};

/// @param inherited  the DT_RPATH of the files that load this one.
std::vector<Path> RunPath(const Elf& elf, const Path& file, const std::vector<Path>& inherited) {
  std::vector<Path> folders;
  for (const std::string& each : elf.run_path) {
    std::string folder = each;
    for (const std::string_view origin : {"$ORIGIN", "${ORIGIN}"})
      if (folder.starts_with(origin))
        folder = file.parent_path().native() + folder.substr(origin.size());
    if (folder.starts_with('/')) folders.emplace_back(folder);
  }
  if (elf.inherits_run_path) folders.insert(folders.end(), inherited.begin(), inherited.end());
  return folders;
}

class LibrarySearch {
 public:
  LibrarySearch(FileSystem& fs, std::uint16_t machine, const std::vector<Path>& folders)
      : fs_(fs), machine_(machine), folders_(folders) {}

  /// Adds what a file needs.
  ///
  /// @param extra  libraries that it loads at run time.
  void Add(const Elf& elf, const Path& file, const std::vector<Path>& inherited = {},
           const std::vector<std::string>& extra = {}) {
    const std::vector<Path> run_path = RunPath(elf, file, inherited);
    const std::vector<Path>& passed_on = elf.inherits_run_path ? run_path : inherited;
    for (const auto* names : {&elf.needed, &extra})
      for (const std::string& name : *names) queue_.push_back({name, file, run_path, passed_on});
  }

  Status FindAll(std::map<std::string, Path>& files) {
    for (; !queue_.empty(); queue_.pop_front()) {
      const Dependency dependency = queue_.front();
      if (files.contains(dependency.name)) continue;
      KINETIC_ASSIGN_OR_RETURN(files[dependency.name], Find(dependency));
    }
    return {};
  }

 private:
  Result<Path> Find(const Dependency& dependency) {
    if (dependency.name.empty() || dependency.name.find('/') != std::string::npos)
      return Fail(ErrorCode::kUnimplemented,
                  fmt::format("{} needs a library by path: '{}'", dependency.needed_by.string(),
                              Printable(dependency.name)));
    for (const auto* folders : {&dependency.run_path, &folders_}) {
      for (const Path& folder : *folders) {
        Path candidate = folder / dependency.name;
        KINETIC_ASSIGN_OR_RETURN(const bool loaded, TryLoad(candidate, dependency.inherited));
        if (loaded) return candidate;
      }
    }
    return Fail(ErrorCode::kNotFound,
                fmt::format("{} needs {}, which is in no library folder",
                            dependency.needed_by.string(), Printable(dependency.name)),
                "install it; 'ldd' lists all missing libraries");
  }

  /// If a library for this machine is at `candidate`, adds its dependencies and returns true.
  Result<bool> TryLoad(const Path& candidate, const std::vector<Path>& inherited) {
    const auto file = ReadFile(fs_, candidate, kMaxLibraryBytes);
    if (!file && file.error().code == ErrorCode::kNotFound) return false;
    KINETIC_RETURN_IF_ERROR(file);
    const auto elf = ReadElf(*file, candidate.string());
    if (!elf && elf.error().code != ErrorCode::kDataLoss) return false;  // a linker script
    KINETIC_RETURN_IF_ERROR(elf);
    if (elf->machine != machine_) return false;
    Add(*elf, candidate, inherited);
    return true;
  }

  FileSystem& fs_;
  std::uint16_t machine_;
  const std::vector<Path>& folders_;
  std::deque<Dependency> queue_;
};

}  // namespace

Result<SharedLibraries> FindSharedLibraries(FileSystem& fs, std::string_view program,
                                            const Path& path,
                                            const std::vector<std::string>& extra_libraries,
                                            const std::vector<Path>& folders) {
  KINETIC_ASSIGN_OR_RETURN(const Elf elf, ReadElf(program, path.string()));
  SharedLibraries found{.interpreter = elf.interpreter};
  if (elf.interpreter.empty()) return found;
  const Path interpreter(elf.interpreter);
  if (!interpreter.is_absolute() || !interpreter.has_filename())
    return Fail(ErrorCode::kUnimplemented,
                fmt::format("{}: its loader '{}' is not an absolute path", path.string(),
                            Printable(elf.interpreter)));
  found.files[interpreter.filename()] = interpreter;
  LibrarySearch search(fs, elf.machine, folders);
  search.Add(elf, path, {}, extra_libraries);
  KINETIC_RETURN_IF_ERROR(search.FindAll(found.files));
  return found;
}

}  // namespace kinetic::oci
