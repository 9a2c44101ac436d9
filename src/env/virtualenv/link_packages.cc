#include "env/virtualenv/link_packages.h"

#include "kinetic/try.h"

#include "base/python/names.h"
#include "base/strings.h"
#include "env/install/record_file.h"
#include "env/virtualenv/compiled_modules.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

/// Files and links that uv and kinetic create at the top of a package set.
constexpr std::array<std::string_view, 5> kOwnFiles{EnvironmentCacheLayout::kMarkerName, ".lock",
                                                    ".gitignore", "CACHEDIR.TAG", "lib64"};

/// A package set, and the folders with files of its packages.
struct LinkSource {
  Path root;
  bool is_partial = false;                 ///< contains packages that are not linked
  std::set<std::string> files;             ///< to link, if is_partial
  std::set<std::string> excluded_folders;  ///< with files of other packages
  std::set<std::string> pure_folders;      ///< with files of packages for any platform, and headers
  std::set<std::string> other_folders;     ///< with other files of packages for one platform
};

/// Returns whether all tags of a package's WHEEL file allow any platform, such as "py3-none-any".
///
/// @source  https://packaging.python.org/en/latest/specifications/binary-distribution-format
bool IsForAnyPlatform(FileSystem& fs, const Path& info) {
  constexpr std::uint64_t kMaxWheelFileBytes = 1U << 20;
  constexpr std::string_view kTag = "Tag:";
  const auto wheel = ReadFile(fs, info / "WHEEL", kMaxWheelFileBytes);
  if (!wheel) return false;
  bool has_tags = false;
  for (const auto line : Split(*wheel, '\n')) {
    if (!line.starts_with(kTag)) continue;
    if (!Trim(line).ends_with("-any")) return false;
    has_tags = true;
  }
  return has_tags;
}

/// Returns whether a file is below a folder of C headers, which load no other files at run time. Two
/// thirds of the files of TensorFlow are.
bool IsHeader(const RecordedFile& file) {
  const std::string_view path = file.path;
  const bool is_code = path.ends_with(".py") || path.find(".so", path.rfind('/')) != path.npos;
  return path.find("/include/") != path.npos && !is_code;
}

/// Adds the folders with the files of a package, and their parents.
void AddFolders(const Path& packages, std::span<const RecordedFile> files,
                std::set<std::string>& folders) {
  std::set<std::string_view> found;  // "" or "folder/"
  for (const auto& [path, sum] : files) {
    found.insert(std::string_view(path).substr(0, path.rfind('/') + 1));
  }
  for (const auto each : found) {
    Path folder = (packages / each / "file").lexically_normal();
    do {
      folder = folder.parent_path();
    } while (!folder.empty() && folders.insert(folder.native()).second);
  }
}

class PackageLinker {
 public:
  PackageLinker(FileSystem& fs, std::string_view python, const Path& root)
      : fs_(fs), root_(root), packages_(PackagesFolder(python)) {}

  Status Add(const SetPackages& packages) {
    LinkSource source{.root = packages.set};
    const Path folder = source.root / packages_;
    KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(folder));
    const auto is_excluded = [&](const DirectoryEntry& entry) {
      const auto name = NormalizedName(entry.name.substr(0, entry.name.find('-')));
      return entry.name.ends_with(kMetadataFolderEnd) && !packages.names.contains(name);
    };
    source.is_partial = std::ranges::any_of(entries, is_excluded);
    for (const auto& entry : entries) {
      if (!entry.name.ends_with(kMetadataFolderEnd)) continue;
      KINETIC_ASSIGN_OR_RETURN(auto files, ReadRecordFile(fs_, folder / entry.name));
      if (is_excluded(entry)) {
        AddFolders(packages_, files, source.excluded_folders);
        continue;
      }
      if (source.is_partial) Include(files, source);
      const bool is_pure = IsForAnyPlatform(fs_, folder / entry.name);
      const auto [others, end] = std::ranges::partition(
          files, [&](const RecordedFile& file) { return is_pure || IsHeader(file); });
      AddFolders(packages_, {files.begin(), others}, source.pure_folders);
      AddFolders(packages_, {others, end}, source.other_folders);
    }
    sources_.push_back(std::move(source));
    return {};
  }

  Status Link() {
    std::vector<const LinkSource*> all;
    all.reserve(sources_.size());
    for (const auto& source : sources_) all.push_back(&source);
    return LinkFolder({}, all);
  }

 private:
  /// The same path in package sets.
  struct Found {
    std::vector<const LinkSource*> folders;
    std::vector<const LinkSource*> files;
  };

  /// Files that no RECORD lists may belong to packages that are not linked.
  void Include(const std::vector<RecordedFile>& files, LinkSource& source) const {
    for (const auto& file : files) {
      source.files.insert((packages_ / file.path).lexically_normal().native());
    }
  }

  Status LinkFolder(const Path& folder, const std::vector<const LinkSource*>& sources) {
    KINETIC_ASSIGN_OR_RETURN(const auto entries, ReadEntries(folder, sources));
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, root_ / folder));
    for (const auto& [name, found] : entries) {
      const Path path = folder / name;
      if (!found.files.empty()) {
        KINETIC_RETURN_IF_ERROR(LinkFile(found.files.front()->root / path, path));
      } else if (CanLink(path, found.folders)) {
        KINETIC_RETURN_IF_ERROR(
            fs_.MakeSymlink((found.folders.front()->root / path).native(), root_ / path));
      } else {
        KINETIC_RETURN_IF_ERROR(LinkFolder(path, found.folders));
      }
    }
    return {};
  }

  Result<std::map<std::string, Found>> ReadEntries(const Path& folder,
                                                   const std::vector<const LinkSource*>& sources) {
    std::map<std::string, Found> all;
    for (const LinkSource* const source : sources) {
      KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(source->root / folder));
      for (const auto& entry : entries) {
        const Path path = folder / entry.name;
        if (entry.type == FileType::kDirectory) {
          if (HasFiles(*source, path)) all[entry.name].folders.push_back(source);
        } else if (!source->is_partial ||
                   source->files.contains(
                       path.native())) {  // or a symbolic link, with UV_LINK_MODE=symlink
          const bool is_own =
              folder.empty() && std::ranges::find(kOwnFiles, entry.name) != kOwnFiles.end();
          if (!is_own) all[entry.name].files.push_back(source);
        }
      }
    }
    return all;
  }

  /// Returns whether any file in a folder is linked. Compiled modules are not: an environment has
  /// its own, which may link to these.
  static bool HasFiles(const LinkSource& source, const Path& folder) {
    if (folder.filename() == kCompiledFolder) return false;
    return !source.is_partial || source.pure_folders.contains(folder.native()) ||
           source.other_folders.contains(folder.native());
  }

  /// Files of packages for one platform may find files of other packages by paths with "..", such
  /// as the RPATH of a shared library, which must not lead to the package set. Programs may write to
  /// folders outside of site-packages, such as share/, in the environment of a job.
  bool CanLink(const Path& folder, const std::vector<const LinkSource*>& sources) const {
    if (sources.size() != 1 || !folder.native().starts_with(packages_.native() + "/")) return false;
    const LinkSource& source = *sources.front();
    return source.pure_folders.contains(folder.native()) &&
           !source.other_folders.contains(folder.native()) &&
           !source.excluded_folders.contains(folder.native());
  }

  /// Compiled modules are shared between hard links. If the file system has none, or the file has
  /// too many, the file is copied.
  Status LinkFile(const Path& from, const Path& path) {
    if (fs_.Link(from, root_ / path)) return {};
    std::error_code failed;
    std::filesystem::copy_file(from, root_ / path, failed);
    return failed ? Failure(ErrnoError(failed.value(), "copying", from)) : Status();
  }

  FileSystem& fs_;
  const Path& root_;
  const Path packages_;  ///< "lib/python3.12/site-packages"
  std::vector<LinkSource> sources_;
};

}  // namespace

Status LinkPackages(FileSystem& fs, std::span<const SetPackages> packages, std::string_view python,
                    const Path& root) {
  PackageLinker linker(fs, python, root);
  for (const auto& each : packages) KINETIC_RETURN_IF_ERROR(linker.Add(each));
  return linker.Link();
}

}  // namespace kinetic::env
