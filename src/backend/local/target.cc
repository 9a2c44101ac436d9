#include "backend/local/target.h"

#include "kinetic/try.h"

#include "backend/local/runtimes.h"
#include "backend/local/spool_reader.h"
#include "backend/local/supervisor_process.h"
#include "base/concurrency/parallel.h"
#include "base/files/file_lock.h"
#include "local/process_identity.h"
#include "local/runtime.h"
#include "store/bucket/location.h"

#include <fmt/format.h>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <utility>

namespace kinetic::backend {
namespace {

using local::Runtime;

constexpr std::chrono::seconds kCleanUpLimit{30};
/// Time for a supervisor to show that it responds after all.
constexpr std::chrono::milliseconds kAnswerTime{5000};
/// Starting a job includes storing its record.
constexpr std::chrono::minutes kStartLimit{2};
constexpr std::chrono::milliseconds kCleanUpPoll{10};

std::string HostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// Returns the error of waiting for a supervisor that does not respond.
Error Unresponsive(std::string_view id, const RuntimeState& state) {
  return {ErrorCode::kUnavailable,
          fmt::format("the supervisor of job {}, process {}, does not respond: {}", id,
                      state.supervisor->pid, state.unresponsive),
          fmt::format("to end the job: kinetic cancel {}", id),
          {}};
}

Observation ToObservation(std::string_view id, const RuntimeState& state) {
  // A runtime directory exists before its supervisor.
  Observation observation{
      .status = {}, .alive = state.alive, .may_start = !state.alive && !state.supervisor};
  if (state.status) observation.status = *state.status;
  observation.status.id = id;
  if (!state.unresponsive.empty()) observation.unresponsive = Unresponsive(id, state);
  observation.is_hung = state.is_silent;
  return observation;
}

class LocalTarget final : public Target {
 public:
  LocalTarget(LocalTargetOptions options, FileSystem& fs, Clock& clock)
      : options_(std::move(options)), fs_(fs), clock_(clock) {
    if (options_.concurrency == 0) {
      options_.concurrency =
          std::max<std::uint32_t>(1, static_cast<std::uint32_t>(ProcessorCount()) / 2);
    }
  }

  std::string Identity() const override {
    return std::string(kLocalIdentity) + HostName() + ":" + options_.state_dir.native();
  }

  TargetTraits Traits() const override {
    const bool is_bucket = store::IsBucketLocation(options_.store);
    return {.runner_stores_record = is_bucket, .runner_flushes_record = !is_bucket};
  }
  std::vector<Limitation> Check(const JobSpec& spec) const override {
    return CheckSpecForLocal(spec);
  }
  Status Start(const Launch& launch, std::stop_token stop) override;
  Result<std::optional<Observation>> Observe(std::string_view id, std::stop_token stop) override;
  Result<std::optional<Explanation>> Explain(std::string_view id, std::stop_token stop) override;
  Status Watch(std::string_view id, const std::function<Status(const Observation&)>& each,
               std::stop_token stop) override;
  Result<LogRead> Logs(std::string_view id, std::uint64_t from_sequence, bool follow,
                       const LogRecordSink& reader, std::stop_token stop) override;
  Status Cancel(std::string_view id, std::stop_token stop) override;
  void Wake(std::string_view id) override;
  Result<bool> EndOrphanedProcesses(std::string_view nonce, std::stop_token stop) override;
  Status Remove(std::string_view id, std::stop_token stop) override;
  Result<std::vector<AbandonedJob>> Sweep(std::stop_token stop) override;
  Result<CollectedState> Collect(std::string_view id, store::Store& store,
                                 std::stop_token stop) override;

 private:
  /// Returns the IDs of the jobs that have left the queue and not ended.
  Result<std::vector<std::string>> RunningJobs();
  Runtime RuntimeFor(std::string_view id) const { return local::RuntimeOf(options_.state_dir, id); }
  Status Supervise(const Launch& launch, const Runtime& runtime, const FileLock& starting,
                   std::stop_token stop);
  std::string Request(const Launch& launch) const;

  LocalTargetOptions options_;
  FileSystem& fs_;
  Clock& clock_;
  ChildReaper child_reaper_;
  std::atomic<bool> runner_works_ = false;  ///< a supervisor that this client started was ready
};

std::string LocalTarget::Request(const Launch& launch) const {
  local::LaunchRequest request{.job_id = launch.record->id,
                               .record_sha256 = launch.record_digest.Hex(),
                               .record = launch.new_record,
                               .store_record = launch.store_record,
                               .store = options_.store,
                               .state_dir = options_.state_dir,
                               .python = {},
                               .environment_root = {},
                               .search_path = options_.search_path,
                               .concurrency = options_.concurrency,
                               .data_cache = options_.data_cache,
                               .job_cache = options_.job_cache,
                               .sources = launch.sources,
                               .secrets = launch.secrets,
                               .cloud = options_.cloud};
  if (launch.environment) request.environment_root = launch.environment->root;
  return local::ToJson(request);
}

Status LocalTarget::Start(const Launch& launch, std::stop_token stop) {
  const Runtime runtime = RuntimeFor(launch.record->id);
  child_reaper_.Reap();
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, runtime.folder, 0700));
  // Waits for a client that is starting the same job. Then a supervisor exists.
  const auto on_wait = [&](const std::string& reason) {
    if (options_.log == nullptr || reason.empty()) return;
    options_.log->Write(LogLevel::kWarning, "local", "waiting to start the job: " + reason);
  };
  KINETIC_ASSIGN_OR_RETURN(
      const auto starting,
      FileLock::Acquire(fs_, runtime.Starting(),
                        {.stop = stop, .limit = kStartLimit, .on_wait = on_wait}));
  KINETIC_ASSIGN_OR_RETURN(const auto state, ReadRuntime(fs_, runtime));
  if (state && state->supervisor) return {};
  KINETIC_RETURN_IF_ERROR(fs_.Write(starting.fd(), local::kStartingMark));
  return Supervise(launch, runtime, starting, std::move(stop));
}

/// Waits for the first supervisor, which shows that the runner works, and for those that store the
/// record. A later one that fails is found by Sweep.
Status LocalTarget::Supervise(const Launch& launch, const Runtime& runtime,
                              const FileLock& starting, std::stop_token stop) {
  const std::string request = Request(launch);
  const bool await_ready = launch.store_record || !runner_works_;
  KINETIC_ASSIGN_OR_RETURN(const pid_t pid, StartSupervisor({.runner = options_.runner,
                                                             .request = request,
                                                             .search_path = options_.search_path,
                                                             .nonce = launch.record->nonce,
                                                             .folder = runtime.folder,
                                                             .diagnostics = runtime.Diagnostics(),
                                                             .starting = starting.fd(),
                                                             .await_ready = await_ready},
                                                            stop));
  child_reaper_.Add(pid);
  runner_works_ = true;
  return {};
}

Result<std::optional<Observation>> LocalTarget::Observe(std::string_view id,
                                                        std::stop_token /*stop*/) {
  child_reaper_.Reap();
  KINETIC_ASSIGN_OR_RETURN(const auto state, ReadRuntime(fs_, RuntimeFor(id)));
  if (!state) return std::optional<Observation>();
  return std::optional(ToObservation(id, *state));
}

Result<std::optional<Explanation>> LocalTarget::Explain(std::string_view id, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto observed, Observe(id, std::move(stop)));
  if (!observed) return std::optional<Explanation>();
  Explanation explanation = ExplainLocal(*observed);
  if (explanation.cause == Cause::kJobsAhead) {
    KINETIC_ASSIGN_OR_RETURN(explanation.blocked_by, RunningJobs());
  }
  return std::optional(std::move(explanation));
}

Result<std::vector<std::string>> LocalTarget::RunningJobs() {
  KINETIC_ASSIGN_OR_RETURN(auto ids, ListRuntimes(fs_, options_.state_dir));
  std::vector<std::string> running;
  for (std::string& id : ids) {
    KINETIC_ASSIGN_OR_RETURN(const auto state, ReadRuntime(fs_, RuntimeFor(id)));
    const bool holds_place =
        state && state->alive && state->status && state->status->state != JobState::kQueued;
    if (holds_place) running.push_back(std::move(id));
  }
  return running;
}

Status LocalTarget::Watch(std::string_view id,
                          const std::function<Status(const Observation&)>& each,
                          std::stop_token stop) {
  const Runtime runtime = RuntimeFor(id);
  KINETIC_ASSIGN_OR_RETURN(RuntimeEvents events, RuntimeEvents::Make(fs_, runtime, stop));
  std::string last;
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const auto state, events.Read());
    if (!state) return {};
    if (state->is_silent) return Failure(Unresponsive(id, *state));
    const Observation observation = ToObservation(id, *state);
    std::string now =
        record::ToJson(observation.status) + (observation.alive ? "1" : "0") + state->unresponsive;
    if (now != last) KINETIC_RETURN_IF_ERROR(each(observation));
    last = std::move(now);
    if (!observation.alive) {
      child_reaper_.Reap();
      return {};
    }
    KINETIC_RETURN_IF_ERROR(events.Wait());
  }
}

Result<LogRead> LocalTarget::Logs(std::string_view id, std::uint64_t from_sequence, bool follow,
                                  const LogRecordSink& reader, std::stop_token stop) {
  const Runtime runtime = RuntimeFor(id);
  SpoolReader spool(fs_, runtime.Spool(), from_sequence);
  // What the job has damaged is reported as missing once the length of the log is known.
  bool is_damaged = false;
  const auto read = [&]() -> Status {
    Status done = is_damaged ? Status() : spool.Read(reader);
    is_damaged = is_damaged || (!done && done.error().code == ErrorCode::kDataLoss);
    return is_damaged ? Status() : done;
  };
  if (!follow) {
    KINETIC_RETURN_IF_ERROR(read());
    return LogRead{spool.next_sequence()};
  }
  KINETIC_ASSIGN_OR_RETURN(RuntimeEvents events, RuntimeEvents::Make(fs_, runtime, stop));
  for (;;) {
    // Inspected before reading, so that everything that an exited supervisor wrote is read.
    KINETIC_ASSIGN_OR_RETURN(const auto state, events.Read());
    KINETIC_RETURN_IF_ERROR(events.WatchSpool());
    KINETIC_RETURN_IF_ERROR(read());
    const bool ended =
        !state || !state->alive || (state->status && IsTerminal(state->status->state));
    // The spool is empty between two attempts. Only the count shows that records were moved.
    const bool behind = !spool.has_segment() && state && state->status &&
                        state->status->log_records > spool.next_sequence();
    if (ended || behind || spool.moved_away()) return LogRead{spool.next_sequence()};
    if (state->is_silent) return Failure(Unresponsive(id, *state));
    KINETIC_RETURN_IF_ERROR(events.Wait());
  }
}

Status LocalTarget::Cancel(std::string_view id, std::stop_token stop) {
  const Runtime runtime = RuntimeFor(id);
  KINETIC_ASSIGN_OR_RETURN(auto state, ReadRuntime(fs_, runtime));
  if (!state) return {};
  if (!state->alive) {
    if (!state->supervisor) return {};
    return local::EndProcesses(state->supervisor->nonce, kOrphanGrace, clock_, stop);
  }
  const auto request = fs_.Open(runtime.CancelRequest(), OpenMode::kReadWrite, 0600);
  if (!request) return Failure(request.error());
  // The request is noticed at once then, and a stopped supervisor shows that it responds.
  if (state->supervisor && local::IsAlive(*state->supervisor))
    ::kill(static_cast<pid_t>(state->supervisor->pid), SIGCONT);
  for (auto waited = kCleanUpPoll; state->is_silent && waited < kAnswerTime;
       waited += kCleanUpPoll) {
    KINETIC_RETURN_IF_ERROR(clock_.Sleep(kCleanUpPoll, stop));
    KINETIC_ASSIGN_OR_RETURN(state, ReadRuntime(fs_, runtime));
    if (!state) return {};
  }
  Status watched = Watch(id, [](const Observation&) { return Status(); }, stop);
  if (watched || watched.error().code != ErrorCode::kUnavailable) return watched;
  KINETIC_ASSIGN_OR_RETURN(const auto left, ReadRuntime(fs_, runtime));
  if (!left || !left->is_silent) return watched;
  return local::EndProcesses(left->supervisor->nonce, kOrphanGrace, clock_, stop);
}

/// Does not resume a stopped supervisor.
void LocalTarget::Wake(std::string_view id) {
  const auto state = ReadRuntime(fs_, RuntimeFor(id));
  if (!state || !*state || !(*state)->supervisor || !(*state)->unresponsive.empty()) return;
  const local::SupervisorIdentity& supervisor = *(*state)->supervisor;
  if (local::IsAlive(supervisor)) ::kill(static_cast<pid_t>(supervisor.pid), SIGCONT);
}

Result<bool> LocalTarget::EndOrphanedProcesses(std::string_view nonce, std::stop_token stop) {
  if (local::ProcessesOf(nonce).empty()) return false;
  KINETIC_RETURN_IF_ERROR(local::EndProcesses(nonce, kOrphanGrace, clock_, std::move(stop)));
  return true;
}

/// A supervisor that has stored the outcome may still be cleaning up.
Status LocalTarget::Remove(std::string_view id, std::stop_token stop) {
  const Runtime runtime = RuntimeFor(id);
  const SteadyTime until = clock_.Steady() + kCleanUpLimit;
  for (;;) {
    child_reaper_.Reap();
    KINETIC_ASSIGN_OR_RETURN(const auto state, ReadRuntime(fs_, runtime));
    if (!state) return {};
    if (!state->alive) return RemoveTree(fs_, runtime.folder);
    if (clock_.Steady() >= until) {
      return Fail(ErrorCode::kFailedPrecondition, "job " + std::string(id) + " is not finished",
                  "cancel it: kinetic cancel " + std::string(id));
    }
    KINETIC_RETURN_IF_ERROR(clock_.Sleep(kCleanUpPoll, stop));
  }
}

Result<std::vector<AbandonedJob>> LocalTarget::Sweep(std::stop_token stop) {
  child_reaper_.Reap();
  return SweepRuntimes({fs_, clock_, options_.state_dir, options_.store}, stop);
}

Result<CollectedState> LocalTarget::Collect(std::string_view id, store::Store& store,
                                            std::stop_token stop) {
  return CollectRuntime(fs_, store, RuntimeFor(id), id, std::move(stop));
}

}  // namespace

std::unique_ptr<Target> MakeLocalTarget(LocalTargetOptions options, FileSystem& fs, Clock& clock) {
  return std::make_unique<LocalTarget>(std::move(options), fs, clock);
}

}  // namespace kinetic::backend
