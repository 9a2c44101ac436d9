#include "kinetic/try.h"

#include "backend/local/runtimes.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "local/process_identity.h"
#include "local/runtime.h"

#include <string>
#include <string_view>
#include <utility>

namespace kinetic::backend {
namespace {

/// Returns whether a client may still be about to start the supervisor.
Result<bool> IsYoung(const SweepOptions& options, const Path& folder) {
  const auto status = options.fs.Lstat(folder);
  if (!status) return Failure(status.error());
  // The clock of the same file system, which may be a server's.
  const Path now = options.state_dir / "now";
  KINETIC_RETURN_IF_ERROR(WriteFileAtomically(options.fs, now, {}, 0600));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus written, options.fs.Lstat(now));
  const std::chrono::nanoseconds age(written.mtime_ns - status->mtime_ns);
  return age >= std::chrono::nanoseconds(0) && age < kStartupLimit;
}

/// Returns whether a supervisor may still take a job that has none and that no process is starting.
Result<bool> MayStart(const SweepOptions& options, const local::Runtime& runtime) {
  const auto starting = options.fs.Lstat(runtime.Starting());
  if (!starting || starting->size_bytes == 0) return IsYoung(options, runtime.folder);
  // Its process has ended, or has taken the job since the caller looked.
  KINETIC_ASSIGN_OR_RETURN(const auto now, ReadRuntime(options.fs, runtime));
  return !now || now->alive || now->supervisor;
}

/// Same as ReadRuntime, but waits briefly until a killed supervisor releases its lock, because its
/// last thread may outlive its PID.
Result<std::optional<RuntimeState>> ReadStable(const SweepOptions& options,
                                               const local::Runtime& runtime,
                                               const std::stop_token& stop) {
  constexpr int kMaxInspections = 10;
  constexpr std::chrono::milliseconds kBetween{10};
  for (int attempt = 1;; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(auto state, ReadRuntime(options.fs, runtime));
    const bool lock_alone =
        state && state->supervisor && state->alive && !local::IsAlive(*state->supervisor);
    if (!lock_alone || attempt == kMaxInspections) return state;
    KINETIC_RETURN_IF_ERROR(options.clock.Sleep(kBetween, stop));
  }
}

/// Returns whether the job belongs to another store. This client's store has no record of it, so
/// its folder would look like leftover state.
bool IsOfAnotherStore(const SweepOptions& options, const local::Runtime& runtime) {
  constexpr std::uint64_t kMaxBytes = 1U << 16;
  const auto named = ReadFile(options.fs, runtime.StoreFile(), kMaxBytes);
  const auto normal = [](const std::string& place) {
    return (Path(place) / "").lexically_normal();
  };
  return named && !named->empty() && normal(*named) != normal(options.store);
}

/// Returns the last message of a supervisor that is gone, without its time; empty if there is none.
std::string LastMessage(FileSystem& fs, const local::Runtime& runtime) {
  constexpr std::uint64_t kMaxBytes = 1U << 20;
  const auto diagnostics = ReadFile(fs, runtime.Diagnostics(), kMaxBytes);
  if (!diagnostics) return {};
  std::string_view line = Trim(*diagnostics);
  line.remove_prefix(line.rfind('\n') + 1);  // npos + 1 is 0
  const std::size_t space = line.find(' ');
  const bool has_time = space != std::string_view::npos && ParseTime(line.substr(0, space));
  return Printable(has_time ? line.substr(space + 1) : line);
}

std::string EvidenceText(const RuntimeState& state, const std::string& last_message) {
  const std::string gone =
      state.supervisor
          ? "the process that ran it (" + std::to_string(state.supervisor->pid) + ") is gone"
          : std::string("its supervisor was never started");
  return last_message.empty() ? gone : gone + "; its last message: " + last_message;
}

/// Returns nullopt if the job is active, is being started or was removed.
Result<std::optional<AbandonedJob>> Examine(const SweepOptions& options,
                                            const local::Runtime& runtime, std::string id,
                                            std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto state, ReadStable(options, runtime, stop));
  if (!state || state->alive) return std::optional<AbandonedJob>();
  if (state->supervisor) {
    KINETIC_RETURN_IF_ERROR(
        local::EndProcesses(state->supervisor->nonce, kOrphanGrace, options.clock, stop));
  } else {
    KINETIC_ASSIGN_OR_RETURN(const bool may_start, MayStart(options, runtime));
    if (may_start) return std::optional<AbandonedJob>();
  }
  if (IsOfAnotherStore(options, runtime)) return std::optional<AbandonedJob>();
  const bool has_outcome = options.fs.Lstat(runtime.OutcomeFile()).has_value();
  return std::optional(
      AbandonedJob{.id = std::move(id),
                   .evidence = EvidenceText(*state, LastMessage(options.fs, runtime)),
                   .status = std::move(state->status),
                   .outcome_location = has_outcome ? runtime.folder.native() : std::string()});
}

}  // namespace

Result<std::vector<AbandonedJob>> SweepRuntimes(const SweepOptions& options, std::stop_token stop) {
  std::vector<AbandonedJob> lost;
  KINETIC_ASSIGN_OR_RETURN(auto ids, ListRuntimes(options.fs, options.state_dir));
  for (auto& id : ids) {
    // A job that cannot be examined or ended is left for the next sweep, so that it does not block
    // the others.
    if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped looking for lost jobs");
    const local::Runtime runtime = local::RuntimeOf(options.state_dir, id);
    auto found = Examine(options, runtime, std::move(id), stop);
    if (found && *found) lost.push_back(**std::move(found));
  }
  return lost;
}

}  // namespace kinetic::backend
