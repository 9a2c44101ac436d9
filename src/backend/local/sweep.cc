#include "backend/local/runtime_state.h"
#include "base/try.h"
#include "local/process_identity.h"
#include "local/runtime.h"

#include <utility>

namespace kinetic::backend {
namespace {

/// Whether a client may still be about to start the supervisor.
Result<bool> IsYoung(const Machine& machine, const Path& folder) {
  const auto status = machine.fs.Lstat(folder);
  if (!status) return Failure(status.error());
  const auto age =
      machine.clock.Now().time_since_epoch() - std::chrono::nanoseconds(status->mtime_ns);
  return age >= std::chrono::seconds(0) && age < kStartTakes;
}

/// As ReadRuntime, but gives a supervisor that was killed the moments it needs to let go of its
/// lock: the last of its threads ends after its number is gone.
Result<std::optional<RuntimeState>> ReadSettled(const Machine& machine,
                                                const local::Runtime& runtime,
                                                const std::stop_token& stop) {
  constexpr int kMaxInspections = 10;
  constexpr std::chrono::milliseconds kBetween{10};
  for (int look = 1;; ++look) {
    KINETIC_ASSIGN_OR_RETURN(auto state, ReadRuntime(machine.fs, runtime));
    const bool lock_alone =
        state && state->supervisor && state->alive && !local::IsAlive(*state->supervisor);
    if (!lock_alone || look == kMaxInspections) return state;
    KINETIC_RETURN_IF_ERROR(machine.clock.Sleep(kBetween, stop));
  }
}

/// Whether the job's outcome goes to another store than that of this client: here nobody would know
/// the job, and its folder would be taken for a leftover.
bool IsOfAnotherStore(const Machine& machine, const local::Runtime& runtime) {
  constexpr std::uint64_t kMaxBytes = 1U << 16;
  const auto named = ReadFile(machine.fs, runtime.StoreFile(), kMaxBytes);
  const auto normal = [](const std::string& place) {
    return (Path(place) / "").lexically_normal();
  };
  return named && !named->empty() && normal(*named) != normal(machine.store);
}

std::string EvidenceText(const RuntimeState& state) {
  if (!state.supervisor) return "its supervisor was never started";
  return "its supervisor, process " + std::to_string(state.supervisor->pid) + ", is gone";
}

/// Nothing: the job is alive, is being started, or has been removed meanwhile.
Result<std::optional<Target::LostJob>> Examine(const Machine& machine,
                                               const local::Runtime& runtime, std::string id,
                                               std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto state, ReadSettled(machine, runtime, stop));
  if (!state || state->alive) return std::optional<Target::LostJob>();
  if (state->supervisor) {
    KINETIC_RETURN_IF_ERROR(
        local::EndProcesses(state->supervisor->nonce, kOrphanGrace, machine.clock, stop));
  } else {
    KINETIC_ASSIGN_OR_RETURN(const bool young, IsYoung(machine, runtime.folder));
    if (young) return std::optional<Target::LostJob>();
  }
  if (IsOfAnotherStore(machine, runtime)) return std::optional<Target::LostJob>();
  return std::optional(Target::LostJob{std::move(id), EvidenceText(*state),
                                       std::move(state->status),
                                       machine.fs.Lstat(runtime.OutcomeFile()).has_value()});
}

}  // namespace

Result<std::vector<Target::LostJob>> SweepRuntimes(const Machine& machine, std::stop_token stop) {
  std::vector<Target::LostJob> lost;
  KINETIC_ASSIGN_OR_RETURN(auto ids, ListRuntimes(machine.fs, machine.state_dir));
  for (auto& id : ids) {
    // One that cannot be examined, or whose processes cannot be ended, is left for the next time:
    // it must not stand in the way of all the others.
    if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped looking for lost jobs");
    const local::Runtime runtime = local::RuntimeOf(machine.state_dir, id);
    auto found = Examine(machine, runtime, std::move(id), stop);
    if (found && *found) lost.push_back(**std::move(found));
  }
  return lost;
}

}  // namespace kinetic::backend
