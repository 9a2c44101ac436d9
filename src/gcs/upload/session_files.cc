#include "kinetic/value.h"

#include "base/try.h"
#include "gcs/upload/sessions.h"

#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <utility>

namespace kinetic::gcs {
namespace {

constexpr std::size_t kFileBytes = 16U << 10;
constexpr std::chrono::hours kSessionLife{24 * 7};

std::string Member(const Value& file, std::string_view name) {
  const Value* member = file.Find(name);
  return member != nullptr && member->AsString() != nullptr ? *member->AsString() : "";
}

std::optional<KeptSession> SessionIn(std::string_view text) {
  const auto file = Value::FromJson(text);
  if (!file) return std::nullopt;
  KeptSession session{Member(*file, "session"), Member(*file, "mark")};
  if (session.address.empty() || session.mark.empty()) return std::nullopt;
  return session;
}

Result<std::string> Content(FileSystem& fs, int fd) {
  std::string text(kFileBytes, '\0');
  KINETIC_ASSIGN_OR_RETURN(const std::size_t count, fs.ReadAt(fd, text, 0));
  text.resize(count);
  return text;
}

class LockedFile final : public SessionPlace {
 public:
  LockedFile(FileSystem& fs, Path path, UniqueFd fd, std::optional<KeptSession> kept)
      : fs_(fs), path_(std::move(path)), fd_(std::move(fd)), kept_(std::move(kept)) {}
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
  ~LockedFile() override {
    if (!kept_) (void)Forget();
  }

  const std::optional<KeptSession>& kept() const override { return kept_; }

  Status Save(const KeptSession& session) override {
    Value file{Value::Map{}};
    file.Set("session", session.address);
    file.Set("mark", session.mark);
    KINETIC_RETURN_IF_ERROR(fs_.Truncate(fd_.get(), 0));
    KINETIC_RETURN_IF_ERROR(fs_.WriteAt(fd_.get(), file.ToJson(), 0));
    kept_ = session;
    return {};
  }

  Status Forget() override {
    kept_.reset();
    // Not by the name of a file that somebody made after this one was removed.
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs_.Fstat(fd_.get()));
    if (status.links == 0) return {};
    return fs_.Unlink(path_);
  }

 private:
  FileSystem& fs_;
  const Path path_;
  const UniqueFd fd_;
  std::optional<KeptSession> kept_;
};

}  // namespace

Result<std::unique_ptr<SessionPlace>> SessionFiles::Take(const std::string& key) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(*fs_, folder_, 0700));
  KINETIC_RETURN_IF_ERROR(RemoveOlderThan(*fs_, folder_, clock_->Now() - kSessionLife));
  Path path = folder_ / key;
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs_->Open(path, OpenMode::kReadWrite, 0600));
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) < 0) {
    if (errno == EWOULDBLOCK) return std::unique_ptr<SessionPlace>();
    if (errno != EINTR) return Failure(ErrnoError(errno, "locking", path));
  }
  KINETIC_ASSIGN_OR_RETURN(const std::string text, Content(*fs_, fd.get()));
  return std::make_unique<LockedFile>(*fs_, std::move(path), std::move(fd), SessionIn(text));
}

}  // namespace kinetic::gcs
