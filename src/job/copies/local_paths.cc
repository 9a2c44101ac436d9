#include "job/copies/local_paths.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "local/copies.h"
#include "local/follow_path.h"
#include "local/program_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace kinetic::job {
namespace {

using FileKind = std::filesystem::file_type;

FileKind TypeOf(const Path& path) {
  std::error_code ignored;
  return std::filesystem::status(path, ignored).type();
}

bool Exists(const Path& path) { return TypeOf(path) != FileKind::not_found; }

bool IsFolder(const Path& path) { return TypeOf(path) == FileKind::directory; }

std::string Shown(const Path& path) { return Printable(path.native()); }

Failure NotFolder(const Path& path) {
  return Fail(ErrorCode::kFailedPrecondition, Shown(path) + " is not a folder");
}

/// Returns the folder of a path, "." for a name alone.
Path ParentOf(const Path& path) { return path.has_parent_path() ? path.parent_path() : Path("."); }

}  // namespace

Result<Path> DestinationFor(const Path& path, const std::string& name) {
  if (path.empty()) return Fail(ErrorCode::kInvalidArgument, "the destination is empty");
  if (IsFolder(path)) return name.empty() ? path : path / name;
  Path named = path.has_filename() ? path : path.parent_path();
  if (!path.has_filename() && Exists(named)) return NotFolder(named);
  const Path parent = ParentOf(named);
  if (IsFolder(parent)) return named;
  if (Exists(parent)) return NotFolder(parent);
  return Fail(ErrorCode::kNotFound, fmt::format("the folder {} does not exist", Shown(parent)),
              fmt::format("create it: mkdir -p {}", ShellQuote(parent.native())));
}

Result<Path> CheckDestination(const Path& path, const Path& destination, bool is_folder) {
  const auto fail = [&](std::string_view what) {
    return Fail(ErrorCode::kFailedPrecondition, fmt::format("{} {}", Shown(destination), what));
  };
  const bool exists = Exists(destination);
  if (is_folder) {
    if (!exists || IsFolder(destination)) return destination;
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("cannot replace {} with a folder", Shown(destination)));
  }
  if (IsFolder(destination)) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("cannot replace the folder {} with a file", Shown(destination)));
  }
  if (!exists && !path.has_filename()) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("the folder {} does not exist", Shown(path)));
  }
  if (exists && TypeOf(destination) != FileKind::regular) return fail("is not a regular file");
  std::error_code ignored;
  if (!std::filesystem::is_symlink(std::filesystem::symlink_status(destination, ignored))) {
    return destination;
  }
  if (!exists) return fail("is a link to a missing file");
  std::error_code failed;
  Path real = std::filesystem::canonical(destination, failed);
  if (failed) return Failure(ErrnoError(failed.value(), "opening", destination));
  return real;
}

Result<LocalSource> ScanSource(FileSystem& fs, const Path& path, const std::stop_token& stop) {
  if (path.empty()) return Fail(ErrorCode::kInvalidArgument, "the source is empty");
  LocalSource source;
  const Path plain = path.has_filename() ? path : path.parent_path();
  source.name = plain.filename().native();
  if (source.name == "." || source.name == "..") source.name.clear();
  const auto type = TypeOf(path);
  if (type == FileKind::not_found) {
    return Fail(ErrorCode::kNotFound, Shown(path) + " does not exist",
                local::NearestEntryHint(fs, ParentOf(plain), plain.filename()));
  }
  // The source itself may be a link. Links below a folder are handled by the scan.
  std::error_code failed;
  const Path real = std::filesystem::canonical(path, failed);
  if (failed) return Failure(ErrnoError(failed.value(), "opening", path));
  source.is_folder = type == FileKind::directory;
  source.folder = source.is_folder ? real : real.parent_path();
  if (source.is_folder) {
    KINETIC_ASSIGN_OR_RETURN(const auto files, local::ProgramFiles::Open(fs, real, std::nullopt));
    KINETIC_ASSIGN_OR_RETURN(auto scan, local::ScanOutputs(files, real, stop, "copied folder"));
    KINETIC_RETURN_IF_ERROR(local::SkipFailure(scan));
    source.files = std::move(scan.files);
    source.skipped = std::move(scan.skipped);
  } else if (type == FileKind::regular) {
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Lstat(real));
    source.files.push_back({.path = real.filename(), .status = status, .destination = {}});
  } else {
    return Fail(ErrorCode::kFailedPrecondition, Shown(path) + " is neither a file nor a folder");
  }
  KINETIC_ASSIGN_OR_RETURN(source.fs, fs.OpenConfined(source.folder));
  for (const auto& file : source.files) {
    if (file.status.type == FileType::kRegular) source.bytes += file.status.size_bytes;
  }
  return source;
}

}  // namespace kinetic::job
