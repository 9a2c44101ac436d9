#include "job/submit/pipeline.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "job/environment/provisioning_request.h"
#include "job/find.h"
#include "job/phase_log.h"
#include "job/submit/checks.h"
#include "job/submit/job_objects.h"
#include "job/submit/prepare.h"
#include "job/submit/shared_arrays.h"
#include "job/summary.h"
#include "jobspec/read/job_file.h"
#include "jobspec/serialize.h"
#include "record/index.h"
#include "record/object_names.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

/// Attempts to stage a job if garbage collection removes objects that it relies on.
constexpr int kMaxStagings = 3;

struct SubmittedJob {
  record::Record record;
  Digest digest;         ///< of record.json as stored
  std::string json;      ///< record.json, if this submission created it
  bool existed = false;  ///< the job was submitted before
  bool started = false;  ///< started together with its record
};

/// Checks that the record `text` describes the same job.
Result<SubmittedJob> CheckSameJob(const std::string& text, const record::Record& now) {
  KINETIC_ASSIGN_OR_RETURN(auto before, record::FromJson(text));
  KINETIC_RETURN_IF_ERROR(
      record::CheckOwner(record::RecordName(now.id), {before.id, {}}, {now.id, {}}));
  if (const auto difference = record::FirstDifference(before, now)) {
    return Failure(Error{
        ErrorCode::kAlreadyExists,
        "job " + now.id + " already exists, but differs in " + *difference,
        "use another ID, or omit it",
        {}}.With("difference", *difference));
  }
  return SubmittedJob{.record = std::move(before), .digest = Sha256::Of(text), .existed = true};
}

/// Stores the objects that must precede the record, concurrently: trees, arguments and the index
/// entry. A job without an index entry could not be found. An entry without a job is ignored and
/// later removed. Returns false if content of the trees is missing.
Result<bool> PutPrerequisites(Context& context, bundle::ContentLease& lease,
                              const JobObjects& objects, const std::stop_token& stop) {
  auto& store = *context.store;
  const record::Record& record = objects.record;
  const bool is_durable = !context.target->Traits().runner_flushes_record;
  bool gone = false;
  std::vector<std::function<Status(const std::stop_token&)>> puts{
      [&](const std::stop_token& stopping) {
        auto put = lease.PutDeferredTrees(stopping);
        gone = !put && put.error().code == ErrorCode::kAborted;
        return put;
      },
      [&](const std::stop_token& stopping) {
        return record::CreateIndex(store, record::SummaryOf(record), stopping, is_durable);
      }};
  const auto add = [&](std::string name, std::string_view content) {
    puts.emplace_back(
        [&store, name = std::move(name), content](const std::stop_token& stopping) -> Status {
          KINETIC_RETURN_IF_ERROR(
              store::PutBytes(store, name, content, store::Precondition::Absent(), stopping));
          return {};
        });
  };
  if (!record.inline_arguments) {
    add(record::ArgumentsName(record.id, record.nonce), objects.arguments);
  }
  for (const auto& array : objects.arrays) {
    puts.emplace_back([&](const std::stop_token& stopping) {
      return record::PutArray(store, record::NameOf({array.first}, record), array.second, stopping);
    });
  }
  for (const Digest& array : record.arrays) {
    puts.emplace_back(
        [&](const std::stop_token& stopping) { return RenewSharedArray(store, array, stopping); });
  }
  for (const std::string& listing : objects.listings) {
    add(record::DataListingName(record.id, record.nonce, Sha256::Of(listing)), listing);
  }
  // A folder that is not flushed takes less time than starting threads.
  const std::size_t threads = is_durable || !objects.arrays.empty() ? puts.size() : 1;
  auto all = ParallelFor(
      threads, puts.size(), stop,
      [&](std::size_t i, const std::stop_token& stopping) { return puts[i](stopping); });
  if (gone) return false;
  if (!all) return Failure(std::move(all).error());
  return true;
}

Status RemoveRecord(Context& context, const record::Record& record) {
  KINETIC_RETURN_IF_ERROR(RemoveObject(*context.store, record::RecordName(record.id)));
  KINETIC_RETURN_IF_ERROR(context.target->Remove(record.id, {}));
  // A runner that stores the record claims the job meanwhile.
  KINETIC_RETURN_IF_ERROR(RemoveObject(*context.store, record::ClaimName(record.id, 1)));
  RemoveStagedObjects(context, record);
  return {};
}

/// Removes a job that could not be started, so that its ID can be submitted again.
void RollbackSubmission(Context& context, const SubmittedJob& written) {
  if (written.existed) return;
  const auto observed = context.target->Observe(written.record.id, {});
  if (!observed || (*observed && (*observed)->alive)) return;
  const auto removed = RemoveRecord(context, written.record);
  if (!removed) context.Log(LogLevel::kWarning, removed.error().message);
}

/// Returns whether a failed request may have had an effect nevertheless.
bool MayBeWritten(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kDeadlineExceeded ||
         error.code == ErrorCode::kCancelled;
}

/// Writes the record last, after all objects that it needs.
Result<SubmittedJob> PutRecord(Context& context, record::Record record,
                               const std::stop_token& stop) {
  auto& store = *context.store;
  const std::string name = record::RecordName(record.id);
  const std::string json = record::ToJson(record);
  const Digest digest = Sha256::Of(json);
  const bool is_durable = !context.target->Traits().runner_flushes_record;
  const auto put =
      store::PutBytes(store, name, json, store::Precondition::Absent(), stop, {}, is_durable);
  if (!put) {
    // The store may have written the record although it returned an error.
    const auto text = store::GetBytes(store, name, {});
    if (text && *text == json) {
      RollbackSubmission(context, {.record = std::move(record), .digest = digest});
    } else if (text || !MayBeWritten(put.error())) {
      RemoveStagedObjects(context, record);
    }
    return Failure(put.error());
  }
  if (*put) return SubmittedJob{.record = std::move(record), .digest = digest, .json = json};
  // Another client has submitted the same ID in the meantime.
  RemoveStagedObjects(context, record);
  KINETIC_ASSIGN_OR_RETURN(const auto text, store::GetBytes(store, name, stop));
  if (text) return CheckSameJob(*text, record);
  return Fail(ErrorCode::kAborted, "job " + record.id + " was removed during the submission");
}

/// Returns nullopt if the staged objects were removed.
Result<std::optional<SubmittedJob>> WriteRecord(Context& context, bundle::ContentLease& lease,
                                                JobObjects objects, const std::stop_token& stop) {
  const auto ready = PutPrerequisites(context, lease, objects, stop);
  if (!ready || !*ready) RemoveStagedObjects(context, objects.record);
  if (!ready) return Failure(ready.error());
  if (!*ready) return std::optional<SubmittedJob>();
  KINETIC_ASSIGN_OR_RETURN(SubmittedJob written,
                           PutRecord(context, std::move(objects.record), stop));
  return std::optional(std::move(written));
}

/// Starts a job, or removes it.
Status Launch(Context& context, const PreparedJob& prepared, const SubmittedJob& job,
              bool store_record, const std::stop_token& stop) {
  const backend::Launch launch{.record = &job.record,
                               .record_digest = job.digest,
                               .new_record = job.json,
                               .store_record = store_record,
                               .environment = prepared.environment.ready,
                               .secrets = prepared.secrets,
                               .sources = prepared.sources};
  auto started = context.target->Start(launch, stop);
  if (!started) RollbackSubmission(context, job);
  if (started) context.Log(LogLevel::kDebug, "supervisor started for job " + job.record.id);
  return started;
}

Status StartJob(Context& context, const PreparedJob& prepared, const SubmittedJob& written,
                const std::stop_token& stop) {
  if (written.started) return {};
  if (written.existed) {
    KINETIC_ASSIGN_OR_RETURN(const auto ended,
                             context.store->Stat(record::ResultName(written.record.id), stop));
    if (ended) return {};
  }
  return Launch(context, prepared, written, false, stop);
}

/// Starts a job of this machine whose runner stores the record, while it fetches the inputs.
/// Returns nullopt if the staged objects were removed.
Result<std::optional<SubmittedJob>> StartWithRecord(Context& context, const PreparedJob& prepared,
                                                    JobObjects objects,
                                                    const std::stop_token& stop) {
  const auto ready = PutPrerequisites(context, *prepared.lease, objects, stop);
  if (!ready || !*ready) RemoveStagedObjects(context, objects.record);
  if (!ready) return Failure(ready.error());
  if (!*ready) return std::optional<SubmittedJob>();
  // The runner stores the record soon.
  auto still = prepared.lease->Confirm(stop);
  if (!still || !*still) RemoveStagedObjects(context, objects.record);
  if (!still) return Failure(std::move(still).error());
  if (!*still) return std::optional<SubmittedJob>();
  SubmittedJob job{.record = std::move(objects.record)};
  job.json = record::ToJson(job.record);
  job.digest = Sha256::Of(job.json);
  KINETIC_RETURN_IF_ERROR(Launch(context, prepared, job, true, stop));
  job.started = true;
  return std::optional(std::move(job));
}

/// Builds and writes the record, and starts the job. Returns nullopt if the staged objects were
/// removed.
Result<std::optional<SubmittedJob>> Stage(Context& context, PreparedJob& prepared,
                                          const std::string& id, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const bool there, prepared.lease->RenewIfStale(stop));
  if (!there) return std::optional<SubmittedJob>();
  KINETIC_ASSIGN_OR_RETURN(auto objects, BuildRecord(context, prepared, prepared.spec, id));
  if (prepared.record_before) {
    KINETIC_ASSIGN_OR_RETURN(SubmittedJob same,
                             CheckSameJob(*prepared.record_before, objects.record));
    return std::optional(std::move(same));
  }
  if (CanSubmitConcurrently(context, prepared, objects, id)) {
    KINETIC_ASSIGN_OR_RETURN(const bool submitted,
                             SubmitConcurrently(context, prepared, objects.record, stop));
    if (!submitted) return std::optional<SubmittedJob>();
    return std::optional(
        SubmittedJob{.record = std::move(objects.record), .digest = {}, .started = true});
  }
  // With a chosen ID, the job may exist.
  if (context.target->Traits().runner_stores_record && id.empty()) {
    return StartWithRecord(context, prepared, std::move(objects), stop);
  }
  KINETIC_ASSIGN_OR_RETURN(auto written,
                           WriteRecord(context, *prepared.lease, std::move(objects), stop));
  if (!written || written->existed) return written;
  auto still = prepared.lease->Confirm(stop);
  if (still && *still) return written;
  KINETIC_RETURN_IF_ERROR(RemoveRecord(context, written->record));
  if (!still) return Failure(std::move(still).error());
  return std::optional<SubmittedJob>();
}

/// Submits one of the jobs that are alike. Returns nullopt if the staged objects were removed.
Result<std::optional<JobSummary>> SubmitPreparedCall(Context& context, const PreparedJob& prepared,
                                                     const JobSpec& spec,
                                                     const std::stop_token& stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckText(spec));
  JobSpec own = prepared.spec;
  own.args = spec.args;
  own.name = spec.name;
  own.tags = spec.tags;
  KINETIC_RETURN_IF_ERROR(jobspec::ResolvePathArguments(own, prepared.root.path));
  KINETIC_RETURN_IF_ERROR(CheckLimitations(*context.target, own, nullptr));
  KINETIC_ASSIGN_OR_RETURN(auto objects, BuildRecord(context, prepared, own, {}));
  KINETIC_ASSIGN_OR_RETURN(auto written,
                           WriteRecord(context, *prepared.lease, std::move(objects), stop));
  if (!written) return std::optional<JobSummary>();
  const auto still = prepared.lease->Confirm(stop);
  if (!still || !*still) KINETIC_RETURN_IF_ERROR(RemoveRecord(context, written->record));
  if (!still) return Failure(still.error());
  if (!*still) return std::optional<JobSummary>();
  KINETIC_RETURN_IF_ERROR(Launch(context, prepared, *written, false, stop));
  context.nonces.Set(written->record.id, written->record.nonce);
  return std::optional(record::SummaryOf(written->record));
}

/// Returns a spec without what may differ between jobs that are alike.
JobSpec CommonPart(JobSpec spec) {
  spec.args = {};
  spec.name.clear();
  spec.tags.clear();
  return spec;
}

}  // namespace

bool AreAlike(const Context& context, std::span<const JobSpec> specs) {
  const backend::TargetTraits traits = context.target->Traits();
  if (specs.size() < 2 || traits.is_scripted || !traits.runner_flushes_record) return false;
  const JobSpec first = CommonPart(specs.front());
  if (!first.function || !first.function->IsNative() || first.bundle.root) return false;
  return std::ranges::all_of(specs, [&](const JobSpec& spec) { return CommonPart(spec) == first; });
}

std::vector<Result<JobSummary>> SubmitAlike(Context& context, std::span<const JobSpec> specs,
                                            std::size_t threads, const std::stop_token& stop) {
  PhaseLog observer(context, nullptr);
  std::vector<Result<JobSummary>> jobs(specs.size(), Fail(ErrorCode::kCancelled, "stopped"));
  auto prepared =
      PrepareJob(context, specs.front(), {.send = true, .lock = {.observer = &observer}}, stop);
  // Before the threads share the lease: a job must not start before its trees are stored.
  const bool is_ready = prepared && prepared->lease->PutDeferredTrees(stop) &&
                        prepared->lease->RenewIfStale(stop).value_or(false);
  if (is_ready) prepared->phases = observer.Ended();
  const auto submit = [&](const JobSpec& spec) -> Result<JobSummary> {
    // The reason may be the arguments of the first one.
    if (!is_ready) return SubmitJob(context, spec, {}, stop);
    KINETIC_ASSIGN_OR_RETURN(auto job, SubmitPreparedCall(context, *prepared, spec, stop));
    return job ? *std::move(job) : SubmitJob(context, spec, {}, stop);
  };
  // Without the stop token, so that each job gets the error of its own submission.
  (void)ParallelFor(threads, specs.size(), {}, [&](std::size_t i, const std::stop_token&) {
    if (!stop.stop_requested()) jobs[i] = submit(specs[i]);
    return Status();
  });
  return jobs;
}

Result<JobSummary> SubmitPrepared(Context& context, const std::string& id, PhaseLog& observer,
                                  const PrepareFunction& prepare, std::stop_token stop) {
  for (int staging = 0; staging < kMaxStagings; ++staging) {
    auto prepared = prepare(stop);
    if (!prepared && prepared.error().code == ErrorCode::kAborted && staging + 1 < kMaxStagings) {
      continue;
    }
    if (!prepared) return Failure(std::move(prepared).error());
    prepared->phases = observer.Ended();
    observer.OnPhaseBegin(Phase::kSubmit, context.options.profile.name);
    KINETIC_ASSIGN_OR_RETURN(auto written, Stage(context, *prepared, id, stop));
    if (!written) continue;
    if (const auto warning = CredentialWarning(context, written->record.spec)) {
      observer.OnWarning(*warning);
    }
    KINETIC_RETURN_IF_ERROR(StartJob(context, *prepared, *written, stop));
    observer.OnPhaseEnd(Phase::kSubmit, written->record.id);
    context.nonces.Set(written->record.id, written->record.nonce);
    return record::SummaryOf(written->record);
  }
  return Fail(ErrorCode::kAborted,
              "cannot stage the bundle: the stored objects were removed repeatedly",
              "run the same command again");
}

Status CheckChosenId(const std::string& id) {
  if (id.empty()) return {};
  if (id != jobspec::kLatestJob) return CheckJobId(id);
  return Fail(ErrorCode::kInvalidArgument, "a job cannot have the ID 'latest'",
              "'latest' selects the newest job; choose another ID");
}

Result<JobSummary> SubmitJob(Context& context, const JobSpec& spec, const SubmitOptions& options,
                             std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckChosenId(options.id));
  PhaseLog observer(context, options.observer);
  ProvisioningRequest provisioning(context, spec, observer);
  const PrepareOptions prepare{.send = true,
                               .id = options.id,
                               .lock = {.locked = options.locked,
                                        .relock = options.relock,
                                        .observer = &observer,
                                        .provisioning = &provisioning}};
  return SubmitPrepared(
      context, options.id, observer,
      [&](const std::stop_token& stopping) {
        auto prepared = PrepareJob(context, spec, prepare, stopping);
        if (prepared) provisioning.Withdraw();  // runs in the background
        return prepared;
      },
      std::move(stop));
}

}  // namespace kinetic::job
