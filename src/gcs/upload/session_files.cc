#include "kinetic/try.h"
#include "kinetic/value.h"

#include "gcs/upload/sessions.h"

#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <utility>

namespace kinetic::gcs {
namespace {

constexpr std::size_t kMaxSessionFileBytes = 16U << 10;
constexpr std::chrono::hours kSessionLife{24 * 7};

std::string FieldOf(const Value& file, std::string_view name) {
  const Value* member = file.Find(name);
  return member != nullptr && member->AsString() != nullptr ? *member->AsString() : "";
}

std::optional<SavedSession> ParseSession(std::string_view text) {
  const auto file = Value::FromJson(text);
  if (!file) return std::nullopt;
  SavedSession session{FieldOf(*file, "session"), FieldOf(*file, "mark")};
  if (session.url.empty() || session.mark.empty()) return std::nullopt;
  return session;
}

Result<std::string> ReadContent(FileSystem& fs, int fd) {
  std::string text(kMaxSessionFileBytes, '\0');
  KINETIC_ASSIGN_OR_RETURN(const std::size_t count, fs.ReadAt(fd, text, 0));
  text.resize(count);
  return text;
}

class LockedSessionFile final : public UploadSession {
 public:
  LockedSessionFile(FileSystem& fs, Path path, UniqueFd fd, std::optional<SavedSession> saved)
      : fs_(fs), path_(std::move(path)), fd_(std::move(fd)), saved_(std::move(saved)) {}
  LockedSessionFile(const LockedSessionFile&) = delete;
  LockedSessionFile& operator=(const LockedSessionFile&) = delete;
  ~LockedSessionFile() override {
    if (!saved_) (void)Remove();
  }

  const std::optional<SavedSession>& saved() const override { return saved_; }

  Status Save(const SavedSession& session) override {
    Value file{Value::Map{}};
    file.Set("session", session.url);
    file.Set("mark", session.mark);
    KINETIC_RETURN_IF_ERROR(fs_.Truncate(fd_.get(), 0));
    KINETIC_RETURN_IF_ERROR(fs_.WriteAt(fd_.get(), file.ToJson(), 0));
    saved_ = session;
    return {};
  }

  Status Remove() override {
    saved_.reset();
    // If the file was removed, another process may have created one of the same name.
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs_.Fstat(fd_.get()));
    if (status.links == 0) return {};
    return fs_.Unlink(path_);
  }

 private:
  FileSystem& fs_;
  const Path path_;
  const UniqueFd fd_;
  std::optional<SavedSession> saved_;
};

}  // namespace

Result<std::unique_ptr<UploadSession>> FileSessionStore::Open(const std::string& key) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(*fs_, folder_, 0700));
  KINETIC_RETURN_IF_ERROR(RemoveOlderThan(*fs_, folder_, clock_->Now() - kSessionLife));
  Path path = folder_ / key;
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs_->Open(path, OpenMode::kReadWrite, 0600));
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) < 0) {
    if (errno == EWOULDBLOCK) return std::unique_ptr<UploadSession>();
    if (errno != EINTR) return Failure(ErrnoError(errno, "locking", path));
  }
  KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadContent(*fs_, fd.get()));
  return std::make_unique<LockedSessionFile>(*fs_, std::move(path), std::move(fd),
                                             ParseSession(text));
}

}  // namespace kinetic::gcs
