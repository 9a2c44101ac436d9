#include "runner/pod_folder.h"

#include "kinetic/value.h"

#include "base/try.h"
#include "json/reader.h"
#include "pod/container.h"

#include <sys/file.h>

#include <cerrno>
#include <utility>

namespace kinetic::runner {

Path PodFolder::Environment() const {
  if (runtime.folder == Path(pod::kRuntimeFolder)) return pod::kEnvironmentFolder;
  return runtime.folder.parent_path() / Path(pod::kEnvironmentFolder).filename();
}

std::string ToJson(const Settlement& settlement) {
  return Value(Value::Map{{"version", 1},
                          {"exit_code", settlement.exit_code},
                          {"message", settlement.message},
                          {"end_line", settlement.end_line}})
      .ToJson();
}

Result<Settlement> SettlementFromJson(std::string_view json) {
  auto value = Value::FromJson(json);
  if (!value) return Fail(ErrorCode::kDataLoss, "settled.json: " + value.error().message);
  json::ObjectReader reader(*value, "settled.json");
  Settlement settlement;
  if (reader.Int("version") != 1) reader.Reject("version", "made by another version of kinetic");
  settlement.exit_code = static_cast<int>(reader.Int("exit_code"));
  settlement.message = reader.String("message");
  settlement.end_line = reader.String("end_line");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return settlement;
}

Result<LauncherState> StateOfLauncher(FileSystem& fs, const PodFolder& folder) {
  if (!IsThere(fs, folder.LauncherLock())) return LauncherState::kNotYet;
  KINETIC_ASSIGN_OR_RETURN(const bool held, local::FileLock::IsHeld(fs, folder.LauncherLock()));
  return held ? LauncherState::kAlive : LauncherState::kGone;
}

Result<UniqueFd> TakeLauncherLock(FileSystem& fs, const PodFolder& folder) {
  if (IsThere(fs, folder.LauncherLock())) {
    return Fail(ErrorCode::kAlreadyExists,
                "a launcher was here before: " + folder.LauncherLock().native());
  }
  // Locked before it is seen: a lock that is there and free means that its owner is dead.
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
  constexpr std::uint32_t kEverybody = 0777;
  for (const Path& made : {folder.runtime.folder, folder.runtime.Spool()}) {
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, made, kEverybody));
    // Whoever came first has made it, and only that one may change it.
    (void)fs.SetMode(made, kEverybody);
  }
  return {};
}

Status Touch(FileSystem& fs, const Path& file) {
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(file, OpenMode::kTruncate, 0644));
  return {};
}

bool IsThere(FileSystem& fs, const Path& file) { return fs.Lstat(file).has_value(); }

}  // namespace kinetic::runner
