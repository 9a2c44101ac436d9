
#include "kinetic/try.h"

#include "backend/local/runtimes.h"
#include "base/files/file_lock.h"
#include "base/strings.h"
#include "local/process_identity.h"
#include "local/pulse.h"

#include <utility>

namespace kinetic::backend {
namespace {

constexpr std::uint64_t kMaxRuntimeFileBytes = 16U << 20;

/// Checks whether a supervisor that is alive responds.
void CheckPulse(FileSystem& fs, const local::Runtime& runtime, RuntimeState& state) {
  const auto age = local::PulseAge(fs, runtime);
  state.is_silent = age && *age >= local::kPulseTimeout;
  const bool is_stopped = local::IsAlive(*state.supervisor) &&
                          local::IsStopped(static_cast<pid_t>(state.supervisor->pid));
  if (state.is_silent) state.unresponsive = "no sign of life for " + FormatDuration(*age);
  if (is_stopped) state.unresponsive = "it is stopped";
}

Result<std::optional<std::string>> ReadIfThere(FileSystem& fs, const Path& file) {
  auto text = ReadFile(fs, file, kMaxRuntimeFileBytes);
  if (text) return std::optional(*std::move(text));
  if (text.error().code == ErrorCode::kNotFound) return std::optional<std::string>();
  return Failure(std::move(text).error());
}

}  // namespace

Result<std::optional<RuntimeState>> ReadRuntime(FileSystem& fs, const local::Runtime& runtime) {
  const auto folder = fs.Lstat(runtime.folder);
  if (!folder) {
    if (folder.error().code == ErrorCode::kNotFound) return std::optional<RuntimeState>();
    return Failure(folder.error());
  }
  RuntimeState state;
  const bool is_finished = fs.Lstat(runtime.Finished()).has_value();
  // Liveness before status: a supervisor writes its last status before it exits, so a client that
  // sees it gone sees that status.
  KINETIC_ASSIGN_OR_RETURN(const auto supervisor, ReadIfThere(fs, runtime.Supervisor()));
  if (supervisor) {
    // A file that a crash of the machine damaged counts as absent.
    state.supervisor =
        local::SupervisorIdentityFromJson(*supervisor).value_or(local::SupervisorIdentity());
    state.alive = !is_finished && local::IsAlive(*state.supervisor);
    if (!state.alive && !is_finished) {
      // The PID is meaningless in a container that shares the folder, but the lock is not.
      KINETIC_ASSIGN_OR_RETURN(state.alive, FileLock::IsHeld(fs, runtime.Lock()));
    }
    if (state.alive) CheckPulse(fs, runtime, state);
  } else {
    KINETIC_ASSIGN_OR_RETURN(state.alive, FileLock::IsHeld(fs, runtime.Starting()));
    // It has become ready meanwhile, and released that lock.
    const auto written = fs.Lstat(runtime.Supervisor());
    if (!state.alive && written && written->type == FileType::kRegular)
      return ReadRuntime(fs, runtime);
  }
  KINETIC_ASSIGN_OR_RETURN(const auto status, ReadIfThere(fs, runtime.StatusFile()));
  if (status) {
    auto parsed = record::StatusFromJson(*status);
    // A copy from another job's folder counts as absent.
    // The folder of a task is named like its ID, below that of its job.
    if (parsed && runtime.folder.native().ends_with("/" + parsed->id))
      state.status = *std::move(parsed);
  }
  return std::optional(std::move(state));
}

Result<std::vector<std::string>> ListRuntimes(FileSystem& fs, const Path& state_dir) {
  std::vector<std::string> ids;
  const auto entries = fs.ReadDirectory(local::JobsFolder(state_dir));
  if (!entries) {
    if (entries.error().code == ErrorCode::kNotFound) return ids;
    return Failure(entries.error());
  }
  for (const auto& entry : *entries) {
    if (entry.type == FileType::kDirectory) ids.push_back(entry.name);
  }
  return ids;
}

Result<RuntimeEvents> RuntimeEvents::Make(FileSystem& fs, local::Runtime runtime,
                                          std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(local::EventWaiter events, local::EventWaiter::Make(std::move(stop)));
  return RuntimeEvents(fs, std::move(runtime), std::move(events));
}

Result<std::optional<RuntimeState>> RuntimeEvents::Read() {
  // Watched before it is read, so that no change is missed.
  if (!watches_folder_) {
    const auto watched = events_.WatchFolder(runtime_.folder);
    if (!watched && watched.error().code != ErrorCode::kNotFound) return Failure(watched.error());
    watches_folder_ = watched.has_value();
  }
  KINETIC_ASSIGN_OR_RETURN(auto state, ReadRuntime(*fs_, runtime_));
  if (!state || !state->supervisor || watches_process_) return state;
  KINETIC_RETURN_IF_ERROR(events_.WatchProcess(static_cast<pid_t>(state->supervisor->pid)));
  watches_process_ = true;
  return ReadRuntime(*fs_, runtime_);  // the PID may have been reused before it was watched
}

Status RuntimeEvents::WatchSpool() {
  if (watches_spool_) return {};
  const auto watched = events_.WatchFolder(runtime_.Spool());
  if (!watched && watched.error().code != ErrorCode::kNotFound) return Failure(watched.error());
  watches_spool_ = watched.has_value();
  return {};
}

Status RuntimeEvents::Wait() {
  constexpr std::chrono::milliseconds kLongestWait{1000};
  const auto woken = events_.Wait(kLongestWait);
  if (!woken) return Failure(woken.error());
  return {};
}

}  // namespace kinetic::backend
