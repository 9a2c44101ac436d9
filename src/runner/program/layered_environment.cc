#include "runner/program/layered_environment.h"

#include "kinetic/try.h"

#include "base/python/virtual_environment.h"
#include "runner/program/virtual_environment.h"

#include <fmt/format.h>

#include <cctype>
#include <string>
#include <string_view>

namespace kinetic::runner {
namespace {

/// Larger files are binaries, which have no shebang line.
constexpr std::uint64_t kMaxScriptBytes = 1U << 20;

/// Returns a Python bytes literal.
std::string PythonBytes(std::string_view bytes) {
  std::string literal = "b'";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = std::isalnum(byte) != 0 || c == '/' || c == '-' || c == '_' || c == '.';
    literal += is_plain ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return literal + "'";
}

/// Uses no mounts, which many machines do not allow, and no links for the files of packages, which
/// would take long.
class Layer {
 public:
  Layer(FileSystem& fs, const Path& shared, const Path& root)
      : fs_(fs), shared_(shared), root_(root), first_line_(ShebangLine(root.native())) {}

  Status Make() {
    KINETIC_RETURN_IF_ERROR(RemoveTree(fs_, root_));
    KINETIC_RETURN_IF_ERROR(Mirror(shared_, root_));
    return AddTools(fs_, root_, root_ / packages_,
                    fs_.Lstat(shared_ / packages_ / "pip").has_value());
  }

 private:
  Status Mirror(const Path& from, const Path& to) {
    KINETIC_RETURN_IF_ERROR(fs_.MakeDirectory(to, 0755));
    KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(from));
    for (const auto& entry : entries) {
      KINETIC_RETURN_IF_ERROR(MirrorEntry(entry.type, from / entry.name, to / entry.name));
    }
    return {};
  }

  Status MirrorEntry(FileType type, const Path& from, const Path& to) {
    const Path folder = from.parent_path();
    if (type == FileType::kSymlink) {
      KINETIC_ASSIGN_OR_RETURN(const std::string target, fs_.ReadLink(from));
      return fs_.MakeSymlink(target, to);
    }
    if (type == FileType::kDirectory) {
      // lib/python3.12/site-packages
      const bool has_packages =
          from.filename() == "site-packages" && folder.parent_path() == shared_ / "lib";
      return has_packages ? AddPackages(from, to) : Mirror(from, to);
    }
    if (folder == shared_ || folder == shared_ / "bin") return Copy(from, to);
    return Link(from, to);
  }

  /// Copies a configuration or a script, which then uses this environment's Python.
  Status Copy(const Path& from, const Path& to) {
    const auto text = ReadFile(fs_, from, kMaxScriptBytes);
    const auto script = text ? ReplaceShebang(*text, first_line_) : std::nullopt;
    if (script) return Write(to, *script, 0755);
    const bool is_program = !text || from.parent_path() != shared_;
    return is_program ? Link(from, to) : Write(to, *text, 0644);
  }

  /// site.getsitepackages returns the folders below PREFIXES. Python executes the line twice, and
  /// resets PREFIXES after the first time.
  Status AddPackages(const Path& from, const Path& to) {
    packages_ = from.lexically_relative(shared_);
    KINETIC_RETURN_IF_ERROR(fs_.MakeDirectory(to, 0755));
    return Write(to / "_kinetic.pth",
                 fmt::format("import os, site; p = os.fsdecode({}); p in site.PREFIXES or "
                             "site.PREFIXES.append(p); site.addsitedir(os.fsdecode({}))\n",
                             PythonBytes(shared_.native()), PythonBytes(from.native())),
                 0644);
  }

  /// A hard link needs no inode; symbolic ones also work between file systems.
  Status Link(const Path& from, const Path& to) {
    return fs_.Link(from, to) ? Status() : fs_.MakeSymlink(from.native(), to);
  }

  Status Write(const Path& path, std::string_view text, std::uint32_t mode) {
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(path, OpenMode::kTruncate, mode));
    return fs_.Write(fd.get(), text);
  }

  FileSystem& fs_;
  const Path& shared_;
  const Path& root_;
  const std::string first_line_;
  Path packages_;  ///< "lib/python3.12/site-packages"
};

}  // namespace

Status LayerVirtualEnvironment(FileSystem& fs, const Path& shared, const Path& root) {
  return Layer(fs, shared, root).Make();
}

}  // namespace kinetic::runner
