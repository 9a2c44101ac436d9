#include "base/files/file_system.h"

#include "kinetic/try.h"

#include "base/large_buffer.h"
#include "base/random.h"
#include "base/strings.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <initializer_list>

namespace kinetic {
namespace {

constexpr std::string_view kErrnoDetail = "errno";

ErrorCode CodeOf(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EEXIST:
    case ENOTEMPTY:
      return ErrorCode::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case EAGAIN:
      return ErrorCode::kResourceExhausted;
    case EINVAL:
    case ENAMETOOLONG:
    case EISDIR:
    case ELOOP:
      return ErrorCode::kInvalidArgument;
    default:
      return ErrorCode::kUnavailable;
  }
}

std::string HintOf(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "free some disk space";
    case EMFILE:
      return "raise the limit on open files: ulimit -n 65536";
    case ENFILE:
      return "raise this machine's limit on open files: sysctl fs.file-max";
    case EAGAIN:
      return "raise the limit on processes: ulimit -u, or pids.max of the container";
    case EROFS:
      return "use a folder on another file system; see 'kinetic config show'";
    default:
      return {};
  }
}

std::string CauseOf(int error_number) {
  char buffer[128];
  std::string cause = strerror_r(error_number, buffer, sizeof buffer);
  if (!cause.empty()) cause[0] = ToLower(cause.substr(0, 1))[0];
  return cause;
}

bool HasErrno(const Error& error, std::initializer_list<int> error_numbers) {
  return std::ranges::any_of(error.details, [&](const auto& detail) {
    return detail.first == kErrnoDetail && std::ranges::any_of(error_numbers, [&](int number) {
             return detail.second == std::to_string(number);
           });
  });
}

Result<std::string> ReadOpenFile(FileSystem& fs, int fd, const FileStatus& status, const Path& path,
                                 std::uint64_t limit_bytes) {
  std::string content;
  std::size_t used = 0;
  const std::size_t expected = std::min<std::uint64_t>(status.size_bytes, limit_bytes) + 1;
  ReserveLarge(content, expected);
  content.resize(expected);
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count,
                             fs.Read(fd, std::span(content).subspan(used)));
    used += count;
    if (used > limit_bytes) {
      return Fail(ErrorCode::kResourceExhausted, "reading " + Printable(path.native()) +
                                                     ": larger than the limit of " +
                                                     std::to_string(limit_bytes) + " bytes");
    }
    if (count == 0) break;
    if (used == content.size()) content.resize(std::min<std::uint64_t>(used * 2, limit_bytes + 1));
  }
  content.resize(used);
  return content;
}

}  // namespace

bool IsDiskFull(const Error& error) { return HasErrno(error, {ENOSPC, EDQUOT}); }

bool IsOpenFileLimit(const Error& error) { return HasErrno(error, {EMFILE, ENFILE}); }

Result<std::vector<std::optional<FileStatus>>> FileSystem::LstatAll(
    const Path& directory, std::span<const std::string> names) {
  std::vector<std::optional<FileStatus>> all;
  all.reserve(names.size());
  for (const std::string& name : names) {
    auto status = Lstat(directory / name);
    if (status) {
      all.emplace_back(*status);
    } else if (status.error().code == ErrorCode::kNotFound) {
      all.emplace_back();
    } else {
      return Failure(std::move(status).error());
    }
  }
  return all;
}

Error ErrnoError(int error_number, std::string_view operation, const Path& path) {
  std::string message(operation);
  message += ' ';
  message += Printable(path.native());
  message += ": ";
  message += CauseOf(error_number);
  return Error{CodeOf(error_number),
               std::move(message),
               HintOf(error_number),
               {{std::string(kErrnoDetail), std::to_string(error_number)}}};
}

Result<std::string> ReadFile(FileSystem& fs, const Path& path, std::uint64_t limit_bytes) {
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(path, OpenMode::kRead, 0));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Fstat(fd.get()));
  return ReadOpenFile(fs, fd.get(), status, path, limit_bytes);
}

Result<std::string> ReadRegularFile(FileSystem& fs, const Path& path, std::uint64_t limit_bytes) {
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(path, OpenMode::kReadWithoutWaiting, 0));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Fstat(fd.get()));
  if (status.type == FileType::kRegular) {
    return ReadOpenFile(fs, fd.get(), status, path, limit_bytes);
  }
  const bool is_folder = status.type == FileType::kDirectory;
  return Fail(ErrorCode::kInvalidArgument,
              "reading " + Printable(path.native()) +
                  (is_folder ? ": it is a folder" : ": it is not a regular file"),
              is_folder ? "" : "write its content to a file, and pass that file");
}

Status SyncDirectory(FileSystem& fs, const Path& path) {
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(path, OpenMode::kRead, 0));
  return fs.Sync(fd.get());
}

Status WriteFileAtomically(FileSystem& fs, const Path& path, std::string_view bytes,
                           std::uint32_t permissions) {
  Path temporary = path;
  temporary += "." + RandomId() + ".tmp";
  const auto write = [&]() -> Status {
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd,
                             fs.Open(temporary, OpenMode::kCreateNew, permissions));
    KINETIC_RETURN_IF_ERROR(fs.Write(fd.get(), bytes));
    KINETIC_RETURN_IF_ERROR(fs.Sync(fd.get()));
    return fs.Rename(temporary, path);
  };
  if (auto written = write(); !written) {
    (void)fs.Unlink(temporary);
    return written;
  }
  return SyncDirectory(fs, path.has_parent_path() ? path.parent_path() : Path("."));
}

Status MakeDirectories(FileSystem& fs, const Path& path, std::uint32_t permissions) {
  auto made = fs.MakeDirectory(path, permissions);
  if (!made && made.error().code == ErrorCode::kNotFound && path.has_parent_path() &&
      path.parent_path() != path) {
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, path.parent_path(), permissions));
    made = fs.MakeDirectory(path, permissions);
  }
  std::error_code ignored;
  if (made || std::filesystem::is_directory(path, ignored)) return {};
  Error error = std::move(made).error();
  if (error.hint.empty() && error.code == ErrorCode::kPermissionDenied)
    error.hint = "use a folder that you may write to; see 'kinetic config show'";
  return Failure(std::move(error));
}

namespace {

Status IgnoreMissing(Status status) {
  if (!status && status.error().code == ErrorCode::kNotFound) return {};
  return status;
}

/// The root of a tree that is being removed, and whether deeper folders were moved there.
struct RemovedTree {
  const Path& root;
  bool was_filled = false;
};

/// Removes a part of a tree. Folders can be nested more deeply than paths and the stack allow, so
/// deep folders are moved to the root first.
Status RemoveBelow(FileSystem& fs, const Path& path, RemovedTree& tree, int depth) {
  constexpr int kMaxDepth = 8;
  const auto status = fs.Lstat(path);
  if (!status) return IgnoreMissing(Failure(status.error()));
  if (status->type != FileType::kDirectory) return IgnoreMissing(fs.Unlink(path));
  if ((status->mode & 0700) != 0700) KINETIC_RETURN_IF_ERROR(fs.SetMode(path, 0700));
  // Some file systems cannot rename a folder of an image's layer.
  if (depth >= kMaxDepth && fs.Rename(path, tree.root / RandomId())) {
    tree.was_filled = true;
    return {};
  }
  do {
    tree.was_filled = tree.was_filled && depth > 0;
    KINETIC_ASSIGN_OR_RETURN(const auto entries, fs.ReadDirectory(path));
    for (const auto& entry : entries) {
      KINETIC_RETURN_IF_ERROR(RemoveBelow(fs, path / entry.name, tree, depth + 1));
    }
  } while (depth == 0 && tree.was_filled);
  return IgnoreMissing(fs.RemoveDirectory(path));
}

}  // namespace

Status RemoveTree(FileSystem& fs, const Path& path) {
  RemovedTree tree{path};
  return RemoveBelow(fs, path, tree, 0);
}

Status RemoveOlderThan(FileSystem& fs, const Path& folder, WallTime before) {
  const auto entries = fs.ReadDirectory(folder);
  if (!entries) {
    if (entries.error().code == ErrorCode::kNotFound) return {};
    return Failure(entries.error());
  }
  for (const auto& entry : *entries) {
    const auto status = fs.Lstat(folder / entry.name);
    if (!status || std::chrono::nanoseconds(status->mtime_ns) >= before.time_since_epoch())
      continue;
    KINETIC_RETURN_IF_ERROR(RemoveTree(fs, folder / entry.name));
  }
  return {};
}

}  // namespace kinetic
