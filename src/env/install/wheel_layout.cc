#include "env/install/wheel_layout.h"

#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/python/entry_points.h"
#include "base/python/virtual_environment.h"
#include "base/strings.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxTextBytes = 16ULL << 20;
constexpr std::string_view kRecord = "RECORD";

template <std::size_t n>
bool IsOneOf(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns whether `name` is an installer's own file at the top of its target folder.
bool IsInstallerFile(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kNames{".lock", ".gitignore", "CACHEDIR.TAG"};
  return IsOneOf(kNames, name);
}

/// Returns whether `name` is metadata that an installer adds: installer, time, origin.
bool IsInstallerMetadata(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kNames{
      kRecord, "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json", "uv_build.json"};
  return IsOneOf(kNames, name);
}

class WheelMover {
 public:
  WheelMover(FileSystem& fs, const Path& installed, const Path& folder, const WheelLayout& layout)
      : fs_(fs),
        installed_(installed),
        folder_(folder),
        site_("lib/python" + layout.python + "/site-packages/"),
        python_("python" + layout.python),
        first_line_(ShebangLine(layout.prefix)) {}

  Status Run() {
    KINETIC_RETURN_IF_ERROR(MoveFolder(""));
    if (info_.empty()) {
      return Fail(ErrorCode::kFailedPrecondition, "the installed files have no wheel metadata");
    }
    KINETIC_RETURN_IF_ERROR(WriteScripts());
    return WriteRecord();
  }

 private:
  Status MoveFolder(const std::string& relative) {
    KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(installed_ / relative));
    for (const auto& entry : entries) {
      if (entry.name == "__pycache__" || (relative.empty() && IsInstallerFile(entry.name)))
        continue;
      const std::string path = relative + entry.name;
      if (entry.type == FileType::kDirectory) {
        KINETIC_RETURN_IF_ERROR(MoveFolder(path + "/"));
      } else if (entry.type == FileType::kRegular) {
        KINETIC_RETURN_IF_ERROR(MoveFile(path));
      } else {
        return Fail(ErrorCode::kFailedPrecondition,
                    "the wheel contains an entry that is not a file or folder: " + Printable(path));
      }
    }
    return {};
  }

  /// Maps `lib/python3.11/site-packages/x`, or lib64, to the path for the environment's Python.
  std::string TargetPath(const std::string& path) const {
    const auto parts = Split(path, '/');
    const auto rest = [&](std::size_t count) {
      std::size_t at = 0;
      for (std::size_t i = 0; i < count; ++i) at += parts[i].size() + 1;
      return path.substr(at);
    };
    if (parts.size() > 3 && (parts[0] == "lib" || parts[0] == "lib64") &&
        parts[1].starts_with("python") && parts[2] == "site-packages") {
      return site_ + rest(3);
    }
    if (parts.size() > 3 && parts[0] == "include" && parts[1] == "site" &&
        parts[2].starts_with("python")) {
      return "include/site/" + python_ + "/" + rest(3);
    }
    return path;
  }

  Status MoveFile(const std::string& from) {
    const std::string path = TargetPath(from);
    const std::string_view in_site =
        path.starts_with(site_) ? std::string_view(path).substr(site_.size()) : std::string_view();
    const auto slash = in_site.find('/');
    if (slash != std::string_view::npos && in_site.substr(0, slash).ends_with(".dist-info") &&
        in_site.find('/', slash + 1) == std::string_view::npos) {
      const std::string_view name = in_site.substr(slash + 1);
      if (IsInstallerMetadata(name)) return {};
      if (name == "WHEEL") info_ = site_ + std::string(in_site.substr(0, slash + 1));
    }
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs_.Lstat(installed_ / from));
    const bool is_script = path.starts_with("bin/");
    const bool executable = is_script || (status.mode & 0111U) != 0;
    KINETIC_RETURN_IF_ERROR(Add(path));
    KINETIC_RETURN_IF_ERROR(fs_.Rename(installed_ / from, folder_ / path));
    KINETIC_RETURN_IF_ERROR(fs_.SetMode(folder_ / path, executable ? 0755 : 0644));
    return is_script ? RewriteShebang(folder_ / path) : Status();
  }

  Status Add(const std::string& path) {
    KINETIC_RETURN_IF_ERROR(MakeParents(path));
    if (!files_.insert(path).second) {
      return Fail(ErrorCode::kFailedPrecondition,
                  "the wheel has two files for one path: " + Printable(path));
    }
    return {};
  }

  /// Sets the mode of folders, which must not depend on the umask.
  Status MakeParents(const std::string& path) {
    for (auto at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
      const std::string parent = path.substr(0, at);
      if (!folders_.insert(parent).second) continue;
      KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, folder_ / parent));
      KINETIC_RETURN_IF_ERROR(fs_.SetMode(folder_ / parent, 0755));
    }
    return {};
  }

  Status RewriteShebang(const Path& path) {
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd file, fs_.Open(path, OpenMode::kRead, 0));
    std::array<char, 2> start{};
    KINETIC_ASSIGN_OR_RETURN(const std::size_t read, fs_.Read(file.get(), start));
    if (read != 2 || start[0] != '#' || start[1] != '!') return {};
    KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadFile(fs_, path, kMaxTextBytes));
    const auto corrected = ReplaceShebang(text, first_line_);
    return corrected ? Write(path, *corrected, 0755) : Status();
  }

  /// Writes entry point scripts, whose text differs between installers.
  Status WriteScripts() {
    if (!files_.contains(info_ + "entry_points.txt")) return {};
    KINETIC_ASSIGN_OR_RETURN(const std::string text,
                             ReadFile(fs_, folder_ / (info_ + "entry_points.txt"), kMaxTextBytes));
    for (const auto& [name, entry] : ParseEntryPoints(text)) {
      const std::string path = "bin/" + name;
      if (!files_.contains(path)) KINETIC_RETURN_IF_ERROR(Add(path));
      KINETIC_RETURN_IF_ERROR(
          Write(folder_ / path, first_line_ + "\n" + EntryPointScript(entry), 0755));
    }
    return {};
  }

  /// Replaces a file rather than writing into it, because it may be a hard link to a cache.
  Status Write(const Path& path, const std::string& text, std::uint32_t mode) {
    auto removed = fs_.Unlink(path);
    if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd file, fs_.Open(path, OpenMode::kCreateNew, mode));
    KINETIC_RETURN_IF_ERROR(fs_.Write(file.get(), text));
    return fs_.SetMode(path, mode);
  }

  Status WriteRecord() {
    const std::string record = info_ + std::string(kRecord);
    std::map<std::string, std::string> lines;  // by path as written
    for (const auto& path : files_) {
      KINETIC_ASSIGN_OR_RETURN(const std::string sum, HashAndSize(fs_, folder_ / path));
      lines[FromSite(path)] = sum;
    }
    lines[FromSite(record)] = ",";
    std::string text;
    for (const auto& [path, sum] : lines) text += Quoted(path) + "," + sum + "\n";
    return Write(folder_ / record, text, 0644);
  }

  /// Returns a path relative to site-packages.
  std::string FromSite(const std::string& path) const {
    return path.starts_with(site_) ? path.substr(site_.size()) : "../../../" + path;
  }

  static std::string Quoted(const std::string& field) {
    if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
    std::string quoted = "\"";
    for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
  }

  FileSystem& fs_;
  const Path& installed_;
  const Path& folder_;
  std::string site_;    ///< "lib/python3.12/site-packages/"
  std::string python_;  ///< "python3.12"
  std::string first_line_;
  std::string info_;             ///< site_ + "numpy-2.1.3.dist-info/"
  std::set<std::string> files_;  ///< by path under the environment
  std::set<std::string> folders_;
};

}  // namespace

Result<std::string> HashAndSize(FileSystem& fs, const Path& path) {
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd file, fs.Open(path, OpenMode::kRead, 0));
  std::vector<char> buffer(1 << 20);
  Sha256 hash;
  std::uint64_t size = 0;
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t read, fs.Read(file.get(), buffer));
    if (read == 0) break;
    hash.Update({buffer.data(), read});
    size += read;
  }
  return "sha256=" + Base64UrlEncode(hash.Finish().View()) + "," + std::to_string(size);
}

Status NormalizeWheelLayout(FileSystem& fs, const Path& installed, const Path& folder,
                            const WheelLayout& layout) {
  return WheelMover(fs, installed, folder, layout).Run();
}

}  // namespace kinetic::env
