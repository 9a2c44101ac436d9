#include "kinetic/printable.h"
#include "kinetic/try.h"

#include "settings/regular_file.h"
#include "settings/sources.h"
#include "settings/system_cause.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

namespace kinetic::settings {
namespace {

/// Closes a file descriptor when it is destroyed.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Failure SystemError(std::string_view verb, const std::filesystem::path& path) {
  return Fail(errno == EACCES || errno == EPERM ? ErrorCode::kPermissionDenied
                                                : ErrorCode::kFailedPrecondition,
              fmt::format("cannot {} {}: {}", verb, path.string(), SystemCause(errno)));
}

Status WriteAll(int fd, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError("write", path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

/// Replaces the file in a locked folder.
Status Replace(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path temporary = path.string() + ".new";
  {
    constexpr mode_t kOwnerOnly = 0600;
    ::unlink(temporary.c_str());
    const Descriptor file(::open(temporary.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly));
    if (file.get() < 0) return SystemError("write", temporary);
    KINETIC_RETURN_IF_ERROR(WriteAll(file.get(), text, temporary));
    if (::fsync(file.get()) != 0) return SystemError("write", temporary);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) return SystemError("replace", path);
  return {};
}

/// Copies the file before its comments are removed. Returns a message about the copy.
Result<std::string> KeepOld(const std::filesystem::path& path) {
  const std::filesystem::path old = path.string() + ".old";
  std::error_code failed;
  std::filesystem::copy_file(path, old, std::filesystem::copy_options::overwrite_existing, failed);
  errno = failed.value();
  if (failed) return SystemError("write", old);
  return fmt::format("removed the comments from {}; the previous version is {}", path.string(),
                     old.string());
}

}  // namespace

Result<ConfigFile> ReadConfig(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return ConfigFile{.path = path};
  constexpr std::size_t kMaxConfigBytes = 16U << 20;
  auto read = ReadRegularFile(path, Printable(path.string()), kMaxConfigBytes);
  if (!read) return Failure(std::move(read).error());
  const std::string& text = *read;
  KINETIC_ASSIGN_OR_RETURN(ConfigFile config, ParseConfig(text, path));
  config.has_comments = HasComments(text);
  return config;
}

Result<std::string> ChangeConfig(const std::filesystem::path& path,
                                 const std::function<Status(ConfigFile&)>& change) {
  std::error_code error;
  // Follows symbolic links, so that a file kept elsewhere stays there.
  const std::filesystem::path file = std::filesystem::weakly_canonical(path, error);
  const std::filesystem::path folder = (file.empty() ? path : file).parent_path();
  if (!std::filesystem::exists(folder)) {
    if (!std::filesystem::create_directories(folder, error) && error) {
      errno = error.value();
      return SystemError("create", folder);
    }
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  }
  const Descriptor locked(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (locked.get() < 0) return SystemError("open", folder);
  for (int tries = 0; ::flock(locked.get(), LOCK_EX | LOCK_NB) != 0; ++tries) {
    constexpr int kMaxTries = 200;
    if (errno != EWOULDBLOCK) return SystemError("lock", folder);
    if (tries == kMaxTries)
      return Fail(ErrorCode::kUnavailable, "cannot change " + Printable(path.string()) +
                                               ": another process has locked its folder");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  KINETIC_ASSIGN_OR_RETURN(ConfigFile config, ReadConfig(path));
  KINETIC_RETURN_IF_ERROR(change(config));
  const std::filesystem::path written = file.empty() ? path : file;
  std::string remark;
  if (config.has_comments) {
    KINETIC_ASSIGN_OR_RETURN(remark, KeepOld(written));
  }
  KINETIC_RETURN_IF_ERROR(Replace(written, ConfigText(config)));
  if (::fsync(locked.get()) != 0) return SystemError("write", folder);
  return remark;
}

}  // namespace kinetic::settings
