#include "backend/scripted/target.h"

#include "kinetic/try.h"

#include "backend/local/target.h"
#include "backend/scripted/simulated_job.h"
#include "base/random.h"
#include "record/array_references.h"
#include "record/index.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "record/task_arguments.h"
#include "record/task_counts.h"
#include "record/task_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace kinetic::backend {
namespace {

Failure Stopped(std::string_view id) {
  return Fail(ErrorCode::kCancelled, fmt::format("waiting for job {}: stopped", id));
}

Status CheckScript(const ScriptedJob& script) {
  const JobState state = script.outcome.state;
  if (!IsTerminal(state))
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the script returned the state {}, which is not final", Name(state)),
                "return an outcome with a final state, such as kSucceeded");
  if (state != JobState::kSucceeded && !script.outcome.value.IsNull())
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the script returned a value with the state {}", Name(state)),
                "only a job that succeeds has a value");
  return {};
}

/// One thread ends all jobs whose time has come.
class ScriptedTarget final : public Target {
 public:
  ScriptedTarget(JobScript script, std::shared_ptr<store::Store> store, Clock& clock)
      : script_(std::move(script)),
        store_(std::move(store)),
        clock_(clock),
        identity_(std::string(kLocalIdentity) + "scripted:" + RandomId()),
        timer_([this](const std::stop_token& stop) { EndJobs(stop); }) {}

  std::string Identity() const override { return identity_; }
  TargetTraits Traits() const override {
    return {.runner_flushes_record = true, .has_accelerators = true, .is_scripted = true};
  }
  std::vector<Limitation> Check(const JobSpec& /*spec*/) const override { return {}; }
  Status Start(const Launch& launch, std::stop_token stop) override;
  Result<std::optional<Observation>> Observe(std::string_view id, std::stop_token stop) override;
  Result<std::optional<Explanation>> Explain(std::string_view id, std::stop_token stop) override;
  Status Watch(std::string_view id, const std::function<Status(const Observation&)>& each,
               std::stop_token stop) override;
  Result<LogRead> Logs(std::string_view id, std::uint64_t from_sequence, bool follow,
                       const LogRecordSink& reader, std::stop_token stop) override;
  Status Cancel(std::string_view id, std::stop_token stop) override;
  Status Remove(std::string_view id, std::stop_token stop) override;
  Result<std::vector<AbandonedJob>> Sweep(std::stop_token /*stop*/) override {
    return std::vector<AbandonedJob>();
  }
  Result<CollectedState> Collect(std::string_view /*id*/, store::Store& /*store*/,
                                 std::stop_token /*stop*/) override {
    return CollectedState{};
  }

 private:
  enum class Progress : std::uint8_t { kRunning, kEnding, kEnded };

  struct Entry {
    Entry(const record::Record& record, JobSpec given)
        : simulated(record), spec(std::move(given)) {}
    SimulatedJob simulated;
    const JobSpec spec;  ///< with the arguments
    Progress progress = Progress::kRunning;
    bool is_cancelled = false;
    Status stored = {};  ///< whether its results could be stored
  };
  using Jobs = std::map<std::string, std::shared_ptr<Entry>, std::less<>>;

  SimulatedJob::Moment Now() const { return {clock_.Now(), clock_.Steady()}; }
  /// Runs the tasks of an array, one after the other, and stores their results and that of the job.
  Status RunArray(const record::Record& record, const std::stop_token& stop);
  Result<JobState> RunTask(const record::Record& task, const std::stop_token& stop);
  Result<JobSpec> SpecWithArguments(const record::Record& record, const std::stop_token& stop);
  Result<ScriptedJob> RunScript(const JobSpec& spec);
  std::shared_ptr<Entry> Find(std::string_view id);
  /// Returns the running job that ends first, or null. Needs the lock.
  std::shared_ptr<Entry> NextToEnd() const;
  /// Ends an attempt: begins the next one, or stores the results. The caller has set kEnding.
  Status End(Entry& job);
  /// Begins the next attempt of a job if there is one.
  bool Retry(Entry& job);
  Status AwaitEnd(std::string_view id, const Entry& job, const std::stop_token& stop);
  void EndJobs(const std::stop_token& stop);

  const JobScript script_;
  const std::shared_ptr<store::Store> store_;
  Clock& clock_;
  const std::string identity_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Jobs jobs_;
  std::jthread timer_;
};

Result<JobSpec> ScriptedTarget::SpecWithArguments(const record::Record& record,
                                                  const std::stop_token& stop) {
  JobSpec spec = record.spec;
  if (!record.inline_arguments && record.arguments_by_task) {
    KINETIC_ASSIGN_OR_RETURN(const auto line, record::ReadTaskArguments(*store_, record, stop));
    KINETIC_ASSIGN_OR_RETURN(spec.args, record::ArgumentsFromJson(line));
  } else if (!record.inline_arguments) {
    const std::string name = record::ArgumentsName(record.id, record.nonce);
    KINETIC_ASSIGN_OR_RETURN(const auto arguments, store::GetBytes(*store_, name, stop));
    if (!arguments) return Fail(ErrorCode::kNotFound, name + " is not in the store");
    KINETIC_ASSIGN_OR_RETURN(spec.args, record::ArgumentsFromJson(*arguments));
  }
  KINETIC_RETURN_IF_ERROR(
      record::LoadArrays(*store_, record, spec.args, record::ArrayUse::kShared, stop));
  return spec;
}

Result<ScriptedJob> ScriptedTarget::RunScript(const JobSpec& spec) {
  KINETIC_ASSIGN_OR_RETURN(ScriptedJob script, script_(spec));
  KINETIC_RETURN_IF_ERROR(CheckScript(script));
  return script;
}

Result<JobState> ScriptedTarget::RunTask(const record::Record& task, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(JobSpec spec, SpecWithArguments(task, stop));
  spec.array.reset();
  KINETIC_ASSIGN_OR_RETURN(ScriptedJob script, RunScript(spec));
  Entry entry(task, std::move(spec));
  entry.simulated.Begin(std::move(script), Now());
  while (Retry(entry)) {
  }
  if (!entry.simulated.end())
    return Fail(ErrorCode::kUnimplemented, "the tasks of an array of a fake client cannot run on",
                "return a task that ends by itself from the script");
  KINETIC_RETURN_IF_ERROR(entry.simulated.Store(*store_, clock_.Now()));
  return entry.simulated.outcome().state;
}

Status ScriptedTarget::RunArray(const record::Record& record, const std::stop_token& stop) {
  TaskCounts counts{.tasks = record.spec.array->count};
  const WallTime started = clock_.Now();
  for (std::uint32_t task = 0; task < counts.tasks; ++task) {
    KINETIC_ASSIGN_OR_RETURN(const auto own, record::TaskRecord(record, task));
    KINETIC_ASSIGN_OR_RETURN(const JobState state, RunTask(own, stop));
    record::Count(state, counts);
  }
  const bool succeeded = counts.succeeded == counts.tasks;
  record::StoredOutcome stored;
  stored.job = KeyOf(record);
  stored.written_by = "runner";
  stored.moments = {{"started", started, {}}, {"finished", clock_.Now(), {}}};
  for (const auto& moment : stored.moments)
    stored.outcome.timeline.emplace_back(moment.name, moment.time);
  stored.outcome.tasks = counts;
  stored.outcome.state = succeeded ? JobState::kSucceeded : JobState::kFailed;
  stored.outcome.exit_code = succeeded ? 0 : record::kExitException;
  if (!succeeded) stored.outcome.reason = record::FailureText(counts);
  KINETIC_RETURN_IF_ERROR(store::PutBytes(*store_, record::ResultName(record.id),
                                          record::ToJson(stored), store::Precondition::Absent(),
                                          stop));
  JobSummary ended = record::SummaryOf(record);
  ended.state = stored.outcome.state;
  ended.reason = stored.outcome.reason;
  ended.tasks = counts;
  ended.started = started;
  ended.finished = stored.moments.back().time;
  ended.attempt = 1;
  return record::IndexEnd(*store_, ended, stop);
}

Status ScriptedTarget::Start(const Launch& launch, std::stop_token stop) {
  const record::Record& record = *launch.record;
  if (record.spec.array) return RunArray(record, stop);
  if (Find(record.id)) return {};
  KINETIC_ASSIGN_OR_RETURN(JobSpec spec, SpecWithArguments(record, stop));
  KINETIC_ASSIGN_OR_RETURN(ScriptedJob script, RunScript(spec));
  const auto job = std::make_shared<Entry>(record, std::move(spec));
  const SimulatedJob::Moment now = Now();
  job->simulated.Begin(std::move(script), now);
  const bool ends_now = job->simulated.end() == now.steady;
  {
    const std::lock_guard lock(mutex_);
    if (!jobs_.emplace(record.id, job).second) return {};
    if (ends_now) job->progress = Progress::kEnding;
    changed_.notify_all();
  }
  return ends_now ? End(*job) : Status();
}

std::shared_ptr<ScriptedTarget::Entry> ScriptedTarget::Find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : found->second;
}

std::shared_ptr<ScriptedTarget::Entry> ScriptedTarget::NextToEnd() const {
  std::shared_ptr<Entry> next;
  for (const auto& [id, job] : jobs_) {
    const bool ends = job->progress == Progress::kRunning && job->simulated.end();
    if (ends && (!next || *job->simulated.end() < *next->simulated.end())) next = job;
  }
  return next;
}

bool ScriptedTarget::Retry(Entry& job) {
  const Outcome& outcome = job.simulated.outcome();
  if (!record::ShouldRetry(job.spec.retry, outcome, outcome.attempt)) return false;
  auto script = RunScript(job.spec);
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
  if (!script) {
    job.simulated.Fail(script.error());
    return false;
  }
  job.simulated.Begin(*std::move(script), Now());
  return true;
}

Status ScriptedTarget::End(Entry& job) {
  while (Retry(job)) {
    const std::lock_guard lock(mutex_);
    const SteadyTime now = clock_.Steady();
    if (job.is_cancelled) job.simulated.Cancel(now);
    if (job.is_cancelled) break;
    if (job.simulated.end() && *job.simulated.end() <= now) continue;
    job.progress = Progress::kRunning;
    return {};
  }
  Status stored = job.simulated.Store(*store_, clock_.Now());
  const std::lock_guard lock(mutex_);
  job.stored = stored;
  job.progress = Progress::kEnded;
  changed_.notify_all();
  return stored;
}

void ScriptedTarget::EndJobs(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto next = NextToEnd();
    const auto is_changed = [&] { return NextToEnd() != next; };
    if (!next) {
      changed_.wait(lock, stop, is_changed);
    } else if (*next->simulated.end() > clock_.Steady()) {
      changed_.wait_until(lock, stop, *next->simulated.end(), is_changed);
    } else {
      next->progress = Progress::kEnding;
      lock.unlock();
      (void)End(*next);
      lock.lock();
    }
  }
}

Status ScriptedTarget::AwaitEnd(std::string_view id, const Entry& job,
                                const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto has_ended = [&] { return job.progress == Progress::kEnded; };
  return changed_.wait(lock, stop, has_ended) ? job.stored : Stopped(id);
}

Result<std::optional<Observation>> ScriptedTarget::Observe(std::string_view id,
                                                           std::stop_token /*stop*/) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::optional<Observation>();
  const Entry& job = *found->second;
  return std::optional(job.simulated.Observe(job.progress == Progress::kEnded, clock_.Steady()));
}

Result<std::optional<Explanation>> ScriptedTarget::Explain(std::string_view id,
                                                           std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto observed, Observe(id, std::move(stop)));
  if (!observed) return std::optional<Explanation>();
  return std::optional(ExplainLocal(*observed));
}

Status ScriptedTarget::Watch(std::string_view id,
                             const std::function<Status(const Observation&)>& each,
                             std::stop_token stop) {
  const auto job = Find(id);
  if (!job) return {};
  const auto observe = [&] {
    const std::lock_guard lock(mutex_);
    return job->simulated.Observe(job->progress == Progress::kEnded, clock_.Steady());
  };
  KINETIC_RETURN_IF_ERROR(each(observe()));
  KINETIC_RETURN_IF_ERROR(AwaitEnd(id, *job, stop));
  return each(observe());
}

Result<LogRead> ScriptedTarget::Logs(std::string_view id, std::uint64_t from_sequence, bool follow,
                                     const LogRecordSink& reader, std::stop_token stop) {
  const auto job = Find(id);
  if (!job) return LogRead{from_sequence};
  std::unique_lock lock(mutex_);
  for (;;) {
    const bool has_ended = job->progress == Progress::kEnded;
    const auto lines = job->simulated.LogSince(from_sequence, clock_.Steady());
    lock.unlock();
    for (const auto& line : lines)
      KINETIC_RETURN_IF_ERROR(reader({.sequence = from_sequence++,
                                      .attempt = line.attempt,
                                      .stream = line.stream,
                                      .time = line.written.wall,
                                      .text = line.text}));
    lock.lock();
    if (has_ended && !job->stored) return Failure(job->stored.error());
    if (!follow || has_ended) return LogRead{from_sequence};
    if (stop.stop_requested()) return Stopped(id);
    const auto next = job->simulated.TimeOfLine(from_sequence);
    const auto is_changed = [&] {
      return job->progress == Progress::kEnded || job->simulated.TimeOfLine(from_sequence) != next;
    };
    if (next)
      changed_.wait_until(lock, stop, *next, is_changed);
    else
      changed_.wait(lock, stop, is_changed);
  }
}

Status ScriptedTarget::Cancel(std::string_view id, std::stop_token stop) {
  const auto job = Find(id);
  if (!job) return {};
  const auto begin_end = [&] {
    const std::lock_guard lock(mutex_);
    job->is_cancelled = true;
    if (job->progress != Progress::kRunning) return false;
    job->progress = Progress::kEnding;
    job->simulated.Cancel(clock_.Steady());
    changed_.notify_all();
    return true;
  };
  return begin_end() ? End(*job) : AwaitEnd(id, *job, stop);
}

Status ScriptedTarget::Remove(std::string_view id, std::stop_token /*stop*/) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return {};
  if (found->second->progress != Progress::kEnded)
    return Fail(ErrorCode::kFailedPrecondition, fmt::format("job {} is not finished", id),
                "cancel it first");
  jobs_.erase(found);
  return {};
}

}  // namespace

std::unique_ptr<Target> MakeScriptedTarget(JobScript script, std::shared_ptr<store::Store> store,
                                           Clock& clock) {
  return std::make_unique<ScriptedTarget>(std::move(script), std::move(store), clock);
}

}  // namespace kinetic::backend
