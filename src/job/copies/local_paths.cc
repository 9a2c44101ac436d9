#include "job/copies/local_paths.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "local/program_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace kinetic::job {
namespace {

std::filesystem::file_type TypeOf(const Path& path) {
  std::error_code ignored;
  return std::filesystem::status(path, ignored).type();
}

bool IsFolder(const Path& path) { return TypeOf(path) == std::filesystem::file_type::directory; }

std::string Shown(const Path& path) { return Printable(path.native()); }

std::string NearestBeside(FileSystem& fs, const Path& path) {
  const auto entries = fs.ReadDirectory(path.parent_path().empty() ? "." : path.parent_path());
  if (!entries) return {};
  std::vector<std::string> names;
  names.reserve(entries->size());
  for (const auto& entry : *entries) names.push_back(entry.name);
  const auto nearest = Nearest(path.filename().native(), names);
  return nearest ? fmt::format("did you mean '{}'?", Printable(*nearest)) : std::string();
}

}  // namespace

Result<Path> DestinationFor(const Path& path, const std::string& name) {
  if (IsFolder(path)) return name.empty() ? path : path / name;
  Path named = path.has_filename() ? path : path.parent_path();
  const Path parent = named.has_parent_path() ? named.parent_path() : Path(".");
  if (IsFolder(parent)) return named;
  return Fail(ErrorCode::kNotFound, fmt::format("the folder {} does not exist", Shown(parent)),
              fmt::format("create it: mkdir -p {}", ShellQuote(parent.native())));
}

Status CheckDestination(const Path& path, const Path& destination, bool is_folder) {
  const auto type = TypeOf(destination);
  const bool is_missing = type == std::filesystem::file_type::not_found;
  if (!is_folder && IsFolder(destination)) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("cannot replace the folder {} by a file", Shown(destination)));
  }
  if (!is_folder && is_missing && !path.has_filename() && !IsFolder(path)) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("the folder {} does not exist", Shown(path)));
  }
  if (is_folder && !is_missing && !IsFolder(destination)) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("cannot replace {} by a folder", Shown(destination)));
  }
  return {};
}

Result<LocalSource> ScanSource(FileSystem& fs, const Path& path, const std::stop_token& stop) {
  LocalSource source;
  const Path plain = path.has_filename() ? path : path.parent_path();
  source.name = plain.filename().native();
  if (source.name == "." || source.name == "..") source.name.clear();
  const auto type = TypeOf(path);
  if (type == std::filesystem::file_type::not_found) {
    return Fail(ErrorCode::kNotFound, Shown(path) + " does not exist", NearestBeside(fs, plain));
  }
  // The source itself may be a link. Links below a folder are handled by the scan.
  std::error_code failed;
  const Path real = std::filesystem::canonical(path, failed);
  if (failed) return Failure(ErrnoError(failed.value(), "opening", path));
  source.is_folder = type == std::filesystem::file_type::directory;
  source.folder = source.is_folder ? real : real.parent_path();
  if (source.is_folder) {
    KINETIC_ASSIGN_OR_RETURN(const auto files, local::ProgramFiles::Open(fs, real, std::nullopt));
    KINETIC_ASSIGN_OR_RETURN(auto scan, local::ScanOutputs(files, real, stop, "copied folder"));
    if (scan.failure) return Failure(*std::move(scan.failure));
    source.files = std::move(scan.files);
    source.skipped = std::move(scan.skipped);
  } else if (type == std::filesystem::file_type::regular) {
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
