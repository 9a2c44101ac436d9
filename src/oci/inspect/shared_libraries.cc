#include "base/strings.h"
#include "base/try.h"
#include "oci/inspect/elf.h"

#include <fmt/format.h>

#include <deque>
#include <optional>
#include <utility>

namespace kinetic::oci {
namespace {

constexpr std::uint64_t kMaxLibraryBytes = 1U << 30;

/// A library that is asked for, and by whom.
struct Wanted {
  std::string name;
  Path by;
  std::vector<Path> first;  ///< folders that who asks wants to be looked in first
};

std::vector<Path> RunPath(const Elf& elf, const Path& file) {
  std::vector<Path> folders;
  for (const std::string& each : elf.run_path) {
    std::string folder = each;
    for (const std::string_view origin : {"$ORIGIN", "${ORIGIN}"})
      if (folder.starts_with(origin))
        folder = file.parent_path().native() + folder.substr(origin.size());
    if (folder.starts_with('/')) folders.emplace_back(folder);
  }
  return folders;
}

class Search {
 public:
  Search(FileSystem& fs, std::uint16_t machine, const std::vector<Path>& folders)
      : fs_(fs), machine_(machine), folders_(folders) {}

  void Want(const Elf& elf, const Path& file) {
    for (const std::string& name : elf.needed) queue_.push_back({name, file, RunPath(elf, file)});
  }
  void Want(Wanted wanted) { queue_.push_back(std::move(wanted)); }

  Status FindAll(std::map<std::string, Path>& files) {
    for (; !queue_.empty(); queue_.pop_front()) {
      const Wanted wanted = queue_.front();
      if (files.contains(wanted.name)) continue;
      KINETIC_ASSIGN_OR_RETURN(files[wanted.name], Find(wanted));
    }
    return {};
  }

 private:
  Result<Path> Find(const Wanted& wanted) {
    if (wanted.name.empty() || wanted.name.find('/') != std::string::npos)
      return Fail(ErrorCode::kUnimplemented,
                  fmt::format("{} needs a library by its place: '{}'", wanted.by.string(),
                              Printable(wanted.name)));
    for (const auto* folders : {&wanted.first, &folders_}) {
      for (const Path& folder : *folders) {
        Path candidate = folder / wanted.name;
        KINETIC_ASSIGN_OR_RETURN(const bool taken, Take(candidate));
        if (taken) return candidate;
      }
    }
    return Fail(ErrorCode::kNotFound,
                fmt::format("{} needs {}, which is in no folder of shared libraries",
                            wanted.by.string(), Printable(wanted.name)),
                "install it; 'ldd' shows what else is missing");
  }

  /// Whether a file is there and of the right machine, as the loader asks too.
  Result<bool> Take(const Path& candidate) {
    const auto file = ReadFile(fs_, candidate, kMaxLibraryBytes);
    if (!file && file.error().code == ErrorCode::kNotFound) return false;
    KINETIC_RETURN_IF_ERROR(file);
    const auto elf = ReadElf(*file, candidate.string());
    if (!elf && elf.error().code != ErrorCode::kDataLoss) return false;  // a script for the linker
    KINETIC_RETURN_IF_ERROR(elf);
    if (elf->machine != machine_) return false;
    Want(*elf, candidate);
    return true;
  }

  FileSystem& fs_;
  std::uint16_t machine_;
  const std::vector<Path>& folders_;
  std::deque<Wanted> queue_;
};

}  // namespace

Result<SharedLibraries> FindSharedLibraries(FileSystem& fs, std::string_view program,
                                            const Path& path, const std::vector<std::string>& also,
                                            const std::vector<Path>& folders) {
  KINETIC_ASSIGN_OR_RETURN(const Elf elf, ReadElf(program, path.string()));
  SharedLibraries found{.interpreter = elf.interpreter};
  if (elf.interpreter.empty()) return found;
  const Path interpreter(elf.interpreter);
  if (!interpreter.is_absolute() || !interpreter.has_filename())
    return Fail(ErrorCode::kUnimplemented,
                fmt::format("{}: its loader is '{}', which is no absolute path", path.string(),
                            Printable(elf.interpreter)));
  found.files[interpreter.filename()] = interpreter;
  Search search(fs, elf.machine, folders);
  search.Want(elf, path);
  for (const std::string& name : also) search.Want({name, path, RunPath(elf, path)});
  KINETIC_RETURN_IF_ERROR(search.FindAll(found.files));
  return found;
}

}  // namespace kinetic::oci
