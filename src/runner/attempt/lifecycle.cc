#include "runner/attempt/lifecycle.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "base/time/clock.h"
#include "local/replace_file.h"
#include "record/ended_task.h"
#include "record/index.h"
#include "record/job_cost.h"
#include "record/object_names.h"
#include "record/task_id.h"
#include "runner/diagnostics.h"
#include "runner/outcome/unkept_files.h"
#include "store/bucket/location.h"
#include "store/object_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::chrono::seconds kRunningIndexDelay{2};

/// Returns an object that proves that the store is the right one. A folder may exist without the
/// disk that should be mounted there; a bucket needs no proof.
std::string ProofFor(const store::Store& store, const std::string& id) {
  return store::IsBucketLocation(store.Location()) ? "" : record::RecordName(id);
}

DownloadMirror::Locations DownloadsOf(const record::Record& record,
                                      const AttemptLifecycle::Options& options) {
  if (!options.has_own_downloads) return {};
  return {options.runtime.Downloads(),
          record.spec.name.empty() ? "" : record::DownloadFolder(record.owner, record.spec.name)};
}

}  // namespace

bool WasKilled(const ProgramExit& exit) {
  // Shells report death by signal N as 128+N.
  const int shell = exit.status.ShellCode();
  return (shell > 128 && shell <= 128 + 64) || exit.remaining_processes > 0 ||
         exit.lingered != LingerLimit::kNone;
}

AttemptLifecycle::AttemptLifecycle(JobStore::Dependencies deps, const record::Record& record,
                                   Options options)
    : deps_(deps),
      record_(record),
      options_(std::move(options)),
      is_task_(record::ParseTaskId(record.id).has_value()),
      status_file_(deps.fs, deps.clock, options_.runtime.StatusFile(), KeyOf(record),
                   options_.on_status),
      store_(deps.store, deps.clock,
             {.proof = ProofFor(deps.store, record.id),
              .stopped = stop_expedited_.get_token(),
              .on_wait =
                  [this](std::string_view reason) {
                    LogFailure("writing the status", status_file_.SetWaitReason(reason));
                  }}),
      job_store_({store_, deps.fs, deps.clock, deps.cloud}, record, options_.runtime,
                 options_.job_store),
      checkpoints_({store_, deps.fs, deps.clock},
                   {options_.runtime.Checkpoints(), options_.runtime.folder / "checkpoints.cache",
                    record.id}),
      outputs_({store_, deps.fs, deps.clock}, {options_.runtime.Output(), record.id}),
      compile_cache_(deps,
                     {options_.runtime.Compiled(),
                      record.compiled ? record::CompiledFolder(*record.compiled) : std::string()},
                     {}),
      downloads_(deps, DownloadsOf(record, options_),
                 {.disk_bytes = record.spec.resources.disk_bytes}),
      uploader_(store_, deps.fs, deps.clock, {options_.runtime.Spool(), KeyOf(record)}) {}

AttemptLifecycle::~AttemptLifecycle() { running_index_stop_.request_stop(); }

void AttemptLifecycle::OnSegment(const SpooledSegment& segment) {
  log_records_ = segment.next;
  uploader_.OnSegment(segment);
}

void AttemptLifecycle::ExpediteStop(StopReason reason) {
  stop_expedited_.request_stop();
  uploader_.Expedite();
  if (reason != StopReason::kCancelled) return;
  LogFailure("writing the status", status_file_.SetRunningReason(fmt::format(
                                       "being cancelled; its program has up to {} to end",
                                       FormatDuration(record_.spec.timeouts.grace))));
}

void AttemptLifecycle::SetStatus(JobState state, Phase phase, std::string_view reason) {
  status_file_.SetLogRecords(log_records_);
  LogFailure("writing the status", status_file_.Set(state, phase, reason));
}

void AttemptLifecycle::BeginAttempt(std::uint32_t attempt) {
  status_file_.BeginAttempt(attempt);
  value_ = {};
  is_resumed_ = false;
}

void AttemptLifecycle::AddEarlierNodeTime(std::uint32_t attempt, const std::stop_token& stop) {
  if (!record_.price) return;
  const auto earlier = record::ReadNodeTime(store_, KeyOf(record_), attempt, stop);
  if (!earlier) return LogFailure("reading an earlier attempt", Failure(earlier.error()));
  earlier_node_time_ = *earlier;
}

/// Returns for how long this attempt and those before have held their nodes.
std::chrono::milliseconds AttemptLifecycle::NodeTime() const {
  const auto claimed = status_file_.TimeOf("claimed");
  if (!record_.price || !claimed) return earlier_node_time_;
  const auto held =
      std::chrono::duration_cast<std::chrono::milliseconds>(deps_.clock.Now() - *claimed);
  return earlier_node_time_ + std::max(held, std::chrono::milliseconds(0));
}

Result<AttemptLifecycle::Prepared> AttemptLifecycle::Prepare(std::uint32_t attempt,
                                                             const std::stop_token& stop) {
  FetchProgress progress(status_file_, deps_.clock);
  std::stop_source stop_downloads;
  const std::stop_callback on_stop(stop, [&] { stop_downloads.request_stop(); });
  auto compiled = std::async(std::launch::async, [&] { return compile_cache_.Fetch(stop); });
  auto downloads = std::async(std::launch::async, [&] {
    return downloads_.Fetch(attempt, progress, stop_downloads.get_token());
  });
  auto restoring =
      std::async(std::launch::async, [&] { return checkpoints_.Restore(attempt, stop); });
  const auto unpacked = job_store_.Materialize(progress, stop);
  if (!unpacked) stop_downloads.request_stop();  // the end of this function waits for them
  KINETIC_RETURN_IF_ERROR(unpacked);
  status_file_.AddEvent("unpacked", *unpacked);
  unpacked_ = deps_.clock.Now();
  ReportCompileCache(compiled.get());
  auto downloads_note = ReportDownloads(downloads.get());
  KINETIC_ASSIGN_OR_RETURN(auto restored, restoring.get());
  if (restored) status_file_.AddEvent("restored", *restored);
  KINETIC_ASSIGN_OR_RETURN(Arguments arguments, job_store_.FetchArguments(stop));
  return Prepared{std::move(arguments), std::move(restored), std::move(downloads_note)};
}

Result<AttemptLifecycle::Prepared> AttemptLifecycle::PrepareNext(std::uint32_t attempt,
                                                                 const std::stop_token& stop) {
  for (const Path& folder : {options_.runtime.Output(), options_.runtime.Exchange()}) {
    KINETIC_RETURN_IF_ERROR(RemoveTree(deps_.fs, folder));
    KINETIC_RETURN_IF_ERROR(MakeDirectories(deps_.fs, folder, 0700));
  }
  KINETIC_ASSIGN_OR_RETURN(auto restored, checkpoints_.Restore(attempt, stop));
  KINETIC_ASSIGN_OR_RETURN(Arguments arguments, job_store_.FetchArguments(stop));
  return Prepared{std::move(arguments), std::move(restored)};
}

Status AttemptLifecycle::Resume(std::uint32_t attempt, const std::stop_token& stop) {
  is_resumed_ = true;
  LogFailure("listing compiled programs", compile_cache_.Resume(stop));
  LogFailure("reading the downloads of earlier jobs", downloads_.Resume(stop));
  return checkpoints_.Resume(attempt, stop);
}

Status AttemptLifecycle::OpenProgramFiles(std::optional<std::uint32_t> user) {
  KINETIC_RETURN_IF_ERROR(outputs_.Open(user));
  KINETIC_RETURN_IF_ERROR(checkpoints_.Open(user));
  KINETIC_RETURN_IF_ERROR(compile_cache_.Open(user));
  KINETIC_RETURN_IF_ERROR(downloads_.Open(user));
  KINETIC_ASSIGN_OR_RETURN(files_,
                           local::ProgramFiles::Open(deps_.fs, options_.runtime.folder, user));
  return {};
}

void AttemptLifecycle::OnProgramStarted() {
  status_file_.AddEvent("started");
  SetStatus(JobState::kRunning, Phase::kRun, {});
  if (is_task_) return;  // the index has an entry for its job
  StopRunningIndex();
  running_index_stop_ = {};
  // Once and on another thread: nothing depends on it, and an unavailable store must not delay the
  // program. Later than the entry's creation, because Cloud Storage rejects a second change of an
  // object within a second; a job that ends before then needs no such entry.
  running_index_ = std::async(
      std::launch::async,
      [this, summary = Summary(nullptr), stop = running_index_stop_.get_token()]() -> Status {
        if (!deps_.clock.Sleep(kRunningIndexDelay, stop)) return {};
        return record::WriteIndex(deps_.store, summary, stop);
      });
}

void AttemptLifecycle::StopRunningIndex() {
  running_index_stop_.request_stop();
  if (!running_index_.valid()) return;
  const Status written = running_index_.get();
  if (!written && written.error().code != ErrorCode::kCancelled) {
    LogFailure("writing the index", written);
  }
}

void AttemptLifecycle::StartStoringValue(std::uint32_t attempt) {
  if (value_.valid() || !files_) return;  // the program can fake more messages
  status_file_.AddEvent("returned");
  SetStatus(JobState::kRunning, Phase::kRun, {});
  value_ = std::async(std::launch::async,
                      [this, attempt] { return job_store_.StoreValue(files_->fs(), attempt, {}); });
}

std::unique_ptr<RunningTasks> AttemptLifecycle::StartRunningTasks(
    std::vector<PeriodicTasks::Task> more) {
  std::vector<PeriodicTasks::Task> tasks{
      {"saving a checkpoint", [this] { return checkpoints_.Poll({}); }},
      {"storing outputs", [this] { return outputs_.Poll({}); }},
      {"storing compiled programs", [this] { return compile_cache_.Poll({}); }}};
  std::ranges::move(more, std::back_inserter(tasks));
  return std::make_unique<RunningTasks>(deps_.clock, std::move(tasks),
                                        CopiedJob{deps_.store, *files_, record_, options_.runtime});
}

std::vector<std::string> AttemptLifecycle::OutputNotes() {
  constexpr std::size_t kShown = 10;
  std::vector<std::string> notes = outputs_.Skipped(stop_expedited_.get_token());
  const std::size_t count = notes.size();
  notes.resize(std::min(count, kShown));
  for (std::string& note : notes) note.insert(0, "not stored as an output: ");
  if (count > kShown)
    notes.push_back(fmt::format("{} more outputs are not stored", count - kShown));
  if (!unpacked_) return notes;
  if (auto note = UnkeptFilesNote(deps_.fs, options_.runtime.Work(), *unpacked_))
    notes.push_back(*std::move(note));
  return notes;
}

void AttemptLifecycle::ReportCompileCache(Result<std::optional<std::string>> fetched) {
  if (!fetched) return LogFailure("fetching compiled programs", Failure(fetched.error()));
  if (*fetched) status_file_.AddEvent("fetched", **fetched);
}

void AttemptLifecycle::FinishCompileCache(bool killed) {
  constexpr std::chrono::seconds kTimeout{20};
  const Deadline deadline(kTimeout, stop_expedited_.get_token());
  LogFailure("storing compiled programs", compile_cache_.Finish(killed, deadline.token()));
}

std::optional<std::string> AttemptLifecycle::ReportDownloads(
    Result<std::optional<std::string>> fetched) {
  if (!fetched) {
    std::string note = "the downloads of earlier jobs were not fetched: " + fetched.error().message;
    LogDiagnostic(note);
    return note;
  }
  if (!*fetched) return std::nullopt;
  status_file_.AddEvent("fetched", **fetched);
  return "fetched " + **fetched;
}

void AttemptLifecycle::FinishDownloads() {
  // The client may have deleted the pod, which gives it 120 seconds: kTimeToStore of the manifest.
  constexpr std::chrono::seconds kTimeout{100};
  const Deadline deadline(kTimeout, {});
  LogFailure("storing downloads", downloads_.Finish(deadline.token()));
}

Status AttemptLifecycle::FinishCheckpoints(bool killed) { return checkpoints_.Finish(killed, {}); }

record::StoredOutcome AttemptLifecycle::Complete(Outcome outcome) {
  record::StoredOutcome stored;
  stored.job = KeyOf(record_);
  stored.moments = status_file_.status().timeline;
  for (const auto& moment : stored.moments) {
    outcome.timeline.emplace_back(moment.name, moment.time);
  }
  if (outcome.state == JobState::kSucceeded) stored.value = value_digest_;
  if (!is_resumed_) outcome.metrics = uploader_.metrics();
  stored.outcome = std::move(outcome);
  stored.node_time = NodeTime();
  stored.written_by = "runner";
  stored.log_records = log_records_;
  stored.log_gap = log_gap_;
  return stored;
}

JobSummary AttemptLifecycle::Summary(const Outcome* outcome) const {
  JobSummary summary = record::SummaryOf(record_);
  summary.state = outcome == nullptr ? JobState::kRunning : outcome->state;
  if (outcome != nullptr) summary.reason = outcome->reason;
  summary.started = status_file_.TimeOf("started");
  if (outcome != nullptr) summary.finished = EndOfProgram().value_or(deps_.clock.Now());
  summary.node_time = outcome == nullptr ? earlier_node_time_ : NodeTime();
  summary.attempt = status_file_.status().attempt;
  if (outcome != nullptr && outcome->tasks) summary.tasks = outcome->tasks;
  return summary;
}

std::optional<WallTime> AttemptLifecycle::EndOfProgram() const {
  const std::vector<record::Moment> timeline = status_file_.status().timeline;
  const auto ended =
      std::ranges::find(timeline.rbegin(), timeline.rend(), "ended", &record::Moment::name);
  return ended == timeline.rend() ? std::nullopt : std::optional(ended->time);
}

Status AttemptLifecycle::StoreAttempt(const Outcome& outcome) {
  return job_store_.WriteAttempt(Complete(outcome), {});
}

Status AttemptLifecycle::StoreUnclassified(Outcome& outcome) {
  KINETIC_RETURN_IF_ERROR(StoreLog());
  KINETIC_RETURN_IF_ERROR(StoreOutputs(outcome));
  return StoreAttempt(outcome);
}

void AttemptLifecycle::SaveOutcome(const Outcome& outcome) {
  Outcome saved = outcome;
  saved.value = {};
  LogFailure("saving the outcome",
             local::ReplaceFile(deps_.fs, options_.runtime.OutcomeFile(),
                                record::ToJson(Complete(std::move(saved))), 0600));
}

Result<bool> AttemptLifecycle::StoreResult(Outcome& outcome) {
  running_index_stop_.request_stop();  // the entry of the end follows
  auto log = std::async(std::launch::async, [this] { return StoreLog(); });
  const Status outputs = StoreOutputs(outcome);
  const Status value = StoreValue(outcome);  // another thread stores it meanwhile
  KINETIC_RETURN_IF_ERROR(log.get());
  KINETIC_RETURN_IF_ERROR(outputs);
  KINETIC_RETURN_IF_ERROR(value);
  return WriteResult(outcome);
}

Status AttemptLifecycle::StoreValue(Outcome& outcome) {
  if (outcome.state != JobState::kSucceeded || !value_.valid()) return {};
  auto value = value_.get();
  if (!value) {
    if (store::IsStoreUnavailable(value.error())) return Failure(std::move(value).error());
    RecordCollectError(outcome, value.error());
  } else if (value->inline_value) {
    outcome.value = *std::move(value->inline_value);
  } else {
    value_digest_ = value->digest;
  }
  return {};
}

Status AttemptLifecycle::StoreLog() {
  Status drained = uploader_.Drain();
  if (!drained && store::IsStoreUnavailable(drained.error())) return drained;
  LogFailure("storing the log", drained);
  return {};
}

Status AttemptLifecycle::StoreOutputs(Outcome& outcome) {
  KINETIC_ASSIGN_OR_RETURN(const auto outputs, outputs_.Finish({}));
  status_file_.AddEvent("collected", FormatFiles(outputs.files, outputs.bytes));
  if (!outputs.failure) return {};
  LogDiagnostic("cannot store the outputs: " + outputs.failure->message);
  if (outcome.state == JobState::kSucceeded) RecordCollectError(outcome, *outputs.failure);
  return {};
}

void AttemptLifecycle::RecordCollectError(Outcome& outcome, const Error& error) {
  const std::uint32_t attempt = outcome.attempt;
  outcome = ClassifyError(error, Phase::kCollect);
  outcome.attempt = attempt;
  RedactTexts(outcome, options_.secrets);
  SaveOutcome(outcome);
}

Result<bool> AttemptLifecycle::WriteResult(const Outcome& outcome) {
  status_file_.AddEvent("finished");
  result_json_ = record::ToJson(Complete(outcome));
  KINETIC_ASSIGN_OR_RETURN(const bool written, job_store_.WriteResult(result_json_, {}));
  // Clients index the other one.
  if (!written) LogDiagnostic("the store already has another result of the job");
  return written;
}

void AttemptLifecycle::IndexResult(const Outcome& outcome) {
  if (is_task_) {
    return LogFailure("writing the summary of the task",
                      record::WriteEndedTask(store_, Complete(outcome), {}));
  }
  StopRunningIndex();
  LogFailure("writing the index", job_store_.WriteIndex(Summary(&outcome), {}));
}

}  // namespace kinetic::runner
