#include "kinetic/try.h"

#include "base/strings.h"
#include "oci/inspect/elf.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace kinetic::oci {
namespace {

constexpr std::uint64_t kMaxConfigurationBytes = 1U << 20;
constexpr int kMaxIncludeDepth = 8;

Path UnderRoot(const Path& root, const Path& path) { return root / path.relative_path(); }

class LoaderConfig {
 public:
  LoaderConfig(FileSystem& fs, Path root, std::vector<Path>& folders)
      : fs_(fs), root_(std::move(root)), folders_(folders) {}

  Status Read(const Path& file, int depth) {
    const auto text = ReadFile(fs_, UnderRoot(root_, file), kMaxConfigurationBytes);
    if (!text && text.error().code == ErrorCode::kNotFound) return {};
    KINETIC_RETURN_IF_ERROR(text);
    for (const std::string_view each : Split(*text, '\n')) {
      const std::string_view line = Trim(each.substr(0, each.find('#')));
      constexpr std::string_view kInclude = "include";
      const bool includes = line.starts_with(kInclude) && line.size() > kInclude.size() &&
                            (line[kInclude.size()] == ' ' || line[kInclude.size()] == '\t');
      if (includes) {
        const Path pattern(Trim(line.substr(kInclude.size())));
        if (depth < kMaxIncludeDepth)
          KINETIC_RETURN_IF_ERROR(Include(file.parent_path() / pattern, depth));
      } else if (line.starts_with('/')) {
        folders_.push_back(UnderRoot(root_, Path(line)));
      }
    }
    return {};
  }

 private:
  /// Supports wildcards in the last component only.
  Status Include(const Path& pattern, int depth) {
    auto entries = fs_.ReadDirectory(UnderRoot(root_, pattern.parent_path()));
    if (!entries && entries.error().code == ErrorCode::kNotFound) return {};
    KINETIC_RETURN_IF_ERROR(entries);
    std::vector<std::string> names;
    for (const DirectoryEntry& entry : *entries)
      if (MatchesWildcard(entry.name, pattern.filename().native())) names.push_back(entry.name);
    std::sort(names.begin(), names.end());
    for (const std::string& name : names)
      KINETIC_RETURN_IF_ERROR(Read(pattern.parent_path() / name, depth + 1));
    return {};
  }

  FileSystem& fs_;
  Path root_;
  std::vector<Path>& folders_;
};

}  // namespace

Result<std::vector<Path>> FindLibraryFolders(FileSystem& fs, std::uint16_t machine,
                                             const Path& root) {
  std::vector<Path> folders;
  KINETIC_RETURN_IF_ERROR(LoaderConfig(fs, root, folders).Read("/etc/ld.so.conf", 0));
  const std::string triplet = machine == kMachineArm64 ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  const std::string libraries = "lib/" + triplet;
  for (const std::string& folder :
       {libraries, "usr/" + libraries, std::string("lib64"), std::string("usr/lib64"),
        std::string("lib"), std::string("usr/lib")})
    folders.push_back(root / folder);
  return folders;
}

}  // namespace kinetic::oci
