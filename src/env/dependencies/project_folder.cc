#include "env/dependencies/project_folder.h"

#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/strings.h"
#include "bundle/source/root.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {
namespace {

constexpr std::size_t kMaxFiles = 20'000;
constexpr std::size_t kReadBytes = 1 << 20;

/// Names that tools create in any folder.
bool IsGenerated(std::string_view name) {
  return name == "__pycache__" || name.starts_with('.') || name.ends_with(".egg-info");
}

/// Names that tools create in the folder of a project. Elsewhere, they can be modules.
bool IsGeneratedInRoot(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kNames{"build", "dist", "node_modules"};
  return std::ranges::find(kNames, name) != kNames.end();
}

bool IsVirtualEnvironment(std::span<const DirectoryEntry> entries) {
  return std::ranges::find(entries, "pyvenv.cfg", &DirectoryEntry::name) != entries.end();
}

class FolderHasher {
 public:
  explicit FolderHasher(FileSystem& fs) : fs_(fs), buffer_(kReadBytes) {}

  Result<Digest> Run(const Path& folder) {
    KINETIC_RETURN_IF_ERROR(Add(folder, ""));
    return hash_.Finish();
  }

 private:
  Status Add(const Path& folder, const std::string& relative) {
    KINETIC_ASSIGN_OR_RETURN(auto entries, fs_.ReadDirectory(folder));
    if (IsVirtualEnvironment(entries)) return {};
    std::ranges::sort(entries, {}, &DirectoryEntry::name);
    for (const auto& entry : entries) {
      if (IsGenerated(entry.name)) continue;
      if (relative.empty() && IsGeneratedInRoot(entry.name)) continue;
      const std::string path = relative + entry.name;
      if (entry.type == FileType::kDirectory) {
        KINETIC_RETURN_IF_ERROR(Add(folder / entry.name, path + "/"));
      } else if (entry.type == FileType::kRegular) {
        KINETIC_RETURN_IF_ERROR(AddFile(folder / entry.name, path));
      }
    }
    return {};
  }

  Status AddFile(const Path& file, const std::string& path) {
    if (++files_ > kMaxFiles) {
      return Fail(ErrorCode::kResourceExhausted,
                  "a package's folder has more than " + std::to_string(kMaxFiles) + " files",
                  "build a wheel from it, and list the wheel in the dependency file");
    }
    KINETIC_ASSIGN_OR_RETURN(const Digest digest, DigestOf(file));
    hash_.Update(path).Update("\n").Update(digest.View());
    return {};
  }

  /// Files can be large, such as weights of a model.
  Result<Digest> DigestOf(const Path& file) {
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(file, OpenMode::kReadWithoutWaiting, 0));
    Sha256 content;
    for (;;) {
      KINETIC_ASSIGN_OR_RETURN(const std::size_t read, fs_.Read(fd.get(), buffer_));
      if (read == 0) return content.Finish();
      content.Update({buffer_.data(), read});
    }
  }

  FileSystem& fs_;
  Sha256 hash_;
  std::vector<char> buffer_;
  std::size_t files_ = 0;
};

}  // namespace

Status AddBuiltMetadata(ManifestBuild& build) {
  KINETIC_ASSIGN_OR_RETURN(const Digest digest,
                           FolderHasher(build.fs).Run(build.manifest.Folder()));
  build.manifest.requirements.push_back("metadata of the project " + digest.Hex());
  return {};
}

Status AddProjectFolder(ManifestBuild& build, const Path& folder) {
  Manifest& manifest = build.manifest;
  const Path own = manifest.Folder().lexically_normal();
  Path path = folder.lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  // A link to a folder has the folder's content.
  const auto real = bundle::ResolvePath(build.fs, path);
  const auto status = build.fs.Lstat(real.value_or(path));
  if (!status || status->type != FileType::kDirectory || path == own) return {};
  if (std::ranges::find(manifest.folders, path) != manifest.folders.end()) return {};
  KINETIC_ASSIGN_OR_RETURN(const Digest digest, FolderHasher(build.fs).Run(*real));
  manifest.settings.push_back("folder " + Printable(path.lexically_relative(own).native()) + " " +
                              digest.Hex());
  manifest.folders.push_back(std::move(path));
  return {};
}

}  // namespace kinetic::env
