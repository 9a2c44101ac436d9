#include "runner/pod/shared_folder.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/files/file_lock.h"
#include "json/document.h"
#include "pod/container.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

namespace kinetic::runner {
namespace {

Status Chown(const Path& path, const struct stat& to) {
  if (::lchown(path.c_str(), to.st_uid, to.st_gid) == 0) return {};
  return Failure(ErrnoError(errno, "cannot change the owner of", path));
}

}  // namespace

Path PodFolder::Environment() const {
  if (runtime.folder == Path(pod::kRuntimeFolder)) return pod::kEnvironmentFolder;
  return runtime.folder.parent_path() / Path(pod::kEnvironmentFolder).filename();
}

std::string ToJson(const LauncherExit& exit) {
  return Value(Value::Map{{"version", 1},
                          {"exit_code", exit.exit_code},
                          {"message", exit.message},
                          {"end_line", exit.end_line}})
      .ToJson();
}

Result<LauncherExit> LauncherExitFromJson(std::string_view json) {
  auto value = Value::FromJson(json);
  if (!value) return Fail(ErrorCode::kDataLoss, "launcher-exit.json: " + value.error().message);
  json::ObjectReader reader(*value, "launcher-exit.json");
  LauncherExit exit;
  if (reader.Int("version") != 1)
    reader.Reject("version", "was written by another version of kinetic");
  exit.exit_code = static_cast<int>(reader.Int("exit_code"));
  exit.message = reader.String("message");
  exit.end_line = reader.String("end_line");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return exit;
}

std::string ToJson(const NextTask& next) {
  return Value(Value::Map{{"version", 1},
                          {"task", std::int64_t{next.task}},
                          {"attempt", std::int64_t{next.attempt}},
                          {"prepared", next.prepared}})
      .ToJson();
}

Result<NextTask> NextTaskFromJson(std::string_view json) {
  auto value = Value::FromJson(json);
  if (!value) return Fail(ErrorCode::kDataLoss, "next.json: " + value.error().message);
  json::ObjectReader reader(*value, "next.json");
  NextTask next;
  if (reader.Int("version") != 1)
    reader.Reject("version", "was written by another version of kinetic");
  next.task = static_cast<std::uint32_t>(reader.Int("task"));
  next.attempt = static_cast<std::uint32_t>(reader.Int("attempt"));
  next.prepared = reader.Bool("prepared");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return next;
}

Status ClearTask(FileSystem& fs, const PodFolder& folder) {
  for (const Path& file : {folder.Request(), folder.ClaimedRequest(), folder.Started(),
                           folder.Returned(), folder.Report()}) {
    const Status removed = fs.Unlink(file);
    if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  }
  KINETIC_RETURN_IF_ERROR(RemoveTree(fs, folder.runtime.Spool()));
  return MakePodFolder(fs, folder);
}

Result<LauncherState> GetLauncherState(FileSystem& fs, const PodFolder& folder) {
  if (!Exists(fs, folder.LauncherLock())) return LauncherState::kNotStarted;
  KINETIC_ASSIGN_OR_RETURN(const bool held, FileLock::IsHeld(fs, folder.LauncherLock()));
  return held ? LauncherState::kAlive : LauncherState::kDead;
}

Result<UniqueFd> TakeLauncherLock(FileSystem& fs, const PodFolder& folder) {
  if (Exists(fs, folder.LauncherLock())) {
    return Fail(ErrorCode::kAlreadyExists,
                "another launcher has already run: " + folder.LauncherLock().native());
  }
  // Locked before it is visible, because a free lock means that its owner is dead.
  Path draft = folder.LauncherLock();
  draft += ".new";
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(draft, OpenMode::kTruncate, 0644));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) < 0) {
    return Failure(ErrnoError(errno, "locking", draft));
  }
  KINETIC_RETURN_IF_ERROR(fs.Rename(draft, folder.LauncherLock()));
  return fd;
}

Status MakePodFolder(FileSystem& fs, const PodFolder& folder) {
  constexpr std::uint32_t kAnyUser = 0777;
  for (const Path& made : {folder.runtime.folder, folder.runtime.Spool()}) {
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, made, kAnyUser));
    // Only the container that created it may change it.
    (void)fs.SetMode(made, kAnyUser);
  }
  return {};
}

Status ChownJobFolders(const PodFolder& folder) {
  struct stat launcher{};
  if (::stat(folder.LauncherLock().c_str(), &launcher) < 0) {
    return Failure(ErrnoError(errno, "cannot read the owner of", folder.LauncherLock()));
  }
  if (::geteuid() != 0 || launcher.st_uid == 0) return {};
  const local::Runtime& runtime = folder.runtime;
  for (const Path& top : {runtime.Work(), runtime.Home(), runtime.Temporary(), runtime.Output(),
                          runtime.Exchange(), runtime.Data(), runtime.Checkpoints(),
                          runtime.Compiled(), runtime.Downloads(), folder.Environment()}) {
    const Status changed = Chown(top, launcher);
    const bool may_be_absent =
        top == folder.Environment() || top == runtime.Compiled() || top == runtime.Downloads();
    if (!changed && changed.error().code == ErrorCode::kNotFound && may_be_absent) continue;
    KINETIC_RETURN_IF_ERROR(changed);
    std::error_code failed;
    for (std::filesystem::recursive_directory_iterator entry(top, failed), end;
         !failed && entry != end; entry.increment(failed)) {
      KINETIC_RETURN_IF_ERROR(Chown(entry->path(), launcher));
    }
    if (failed) return Failure(ErrnoError(failed.value(), "reading", top));
  }
  return {};
}

std::optional<std::uint32_t> OtherProgramUser(FileSystem& fs, const PodFolder& folder) {
  constexpr std::uint32_t kNobody = 0xFFFFFFFF;  // not a valid user
  const auto launcher = fs.Lstat(folder.LauncherLock());
  if (!launcher) return kNobody;
  const bool other = launcher->owner != 0 && launcher->owner != ::geteuid();
  return other ? std::optional(launcher->owner) : std::nullopt;
}

Status Touch(FileSystem& fs, const Path& file) {
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(file, OpenMode::kTruncate, 0644));
  return {};
}

bool Exists(FileSystem& fs, const Path& file) { return fs.Lstat(file).has_value(); }

}  // namespace kinetic::runner
