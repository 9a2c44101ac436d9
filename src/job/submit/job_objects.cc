#include "job/submit/job_objects.h"

#include "kinetic/try.h"
#include "kinetic/version.h"

#include "base/concurrency/parallel.h"
#include "base/hash/digest.h"
#include "base/random.h"
#include "base/strings.h"
#include "job/environment/job_environment.h"
#include "job/find.h"
#include "job/submit/prepare.h"
#include "jobspec/array.h"
#include "record/index.h"
#include "record/job_record.h"
#include "record/object_names.h"
#include "record/task_arguments.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::size_t kNonceBytes = 16;

/// Returns whether the lock has a package that uses XLA with a persistent compilation cache.
bool HasJax(const env::Lock& lock) {
  return std::ranges::any_of(lock.packages,
                             [](const auto& package) { return package.name == "jax"; });
}

void RecordEnvironment(const JobEnvironment& environment, record::Record& record) {
  record.environment_image = environment.dockerfile_image;
  if (!environment.manifest) return;
  record.manifest_key = environment.manifest->Key().Hex();
  for (auto& [name, value] : environment.manifest->Inputs()) {
    record.environment_inputs.emplace(name, value);
  }
  if (environment.lock) record.environment_id = environment.lock->lock.EnvironmentId().Hex();
  // Code compiled for one CPU may not run on another node.
  const bool is_portable = environment.base && environment.manifest->accelerator != "cpu";
  if (is_portable && environment.lock && HasJax(environment.lock->lock)) {
    record.compiled = Sha256::Of(record.owner + "\n" + record.environment_id);
  }
  if (environment.base && environment.lock) {
    record.environment_image = PinnedBase(*environment.base, environment.lock->lock.base_image);
  }
  if (!environment.ready) return;
  if (!environment.ready->image.empty()) record.environment_image = environment.ready->image;
  if (!environment.ready->tree) return;
  const env::EnvironmentTree& tree = *environment.ready->tree;
  record.environment = {tree.digest, environment.manifest->python, tree.files, tree.bytes};
}

/// Copies the environment of the job that is repeated.
void CopyEnvironment(const record::Record& original, record::Record& record) {
  record.manifest_key = original.manifest_key;
  record.environment_id = original.environment_id;
  record.environment_inputs = original.environment_inputs;
  record.environment = original.environment;
  record.environment_image = original.environment_image;
  if (original.compiled) {
    record.compiled = Sha256::Of(record.owner + "\n" + record.environment_id);
  }
  record.rerun_of = original.id;
}

/// Returns the arguments document, and adds the arrays that it refers to.
std::string DocumentOf(Arguments args, JobObjects& objects, std::set<Digest>& shared) {
  objects.arrays.merge(record::ExtractArrays(args));
  for (const auto& array : record::ReferredArrays(args)) {
    if (array.use == record::ArrayUse::kShared) shared.insert(array.digest);
  }
  return record::ArgumentsToJson(args);
}

/// Returns the arguments documents of all tasks, as the record or the object has them.
Result<std::string> AddTaskArguments(const JobSpec& spec, JobObjects& objects,
                                     std::set<Digest>& shared) {
  std::vector<std::string> lines;
  for (std::uint32_t task = 0; task < spec.array->count; ++task) {
    KINETIC_ASSIGN_OR_RETURN(Arguments args, jobspec::ArgumentsOfTask(spec, task));
    lines.push_back(DocumentOf(std::move(args), objects, shared));
  }
  objects.record.arguments_by_task = true;
  objects.record.spec.array->over = {};
  std::string joined = record::JoinArgumentLines(lines);
  return joined.size() <= record::kInlineArgumentsBytes ? std::move(joined)
                                                        : record::TaskArgumentsObject(lines);
}

/// Adds the arguments document. A long one, and large arrays, are separate objects.
Status AddArguments(const JobSpec& spec, JobObjects& objects) {
  constexpr std::size_t kMaxArgumentsBytes = store::kSmallObjectBytes;
  record::Record& record = objects.record;
  std::set<Digest> shared;
  if (spec.array && !spec.array->over.IsNull()) {
    KINETIC_ASSIGN_OR_RETURN(objects.arguments, AddTaskArguments(spec, objects, shared));
  } else {
    objects.arguments = DocumentOf(spec.args, objects, shared);
  }
  record.arrays = {shared.begin(), shared.end()};
  if (objects.arguments.size() > kMaxArgumentsBytes)
    return Fail(ErrorCode::kInvalidArgument,
                "the arguments without arrays have " + FormatBytes(objects.arguments.size()) +
                    ", expected at most " + FormatBytes(kMaxArgumentsBytes),
                "write large arguments to a file under 'data', and pass its path: {$path: FILE}");
  record.arguments = Sha256::Of(objects.arguments);
  record.spec.args = {};
  if (objects.arguments.size() > record::kInlineArgumentsBytes) return {};
  record.inline_arguments = objects.arguments;
  if (record.arguments_by_task) return {};
  // As another client reads them, so that both records compare equal.
  KINETIC_ASSIGN_OR_RETURN(record.spec.args, record::ArgumentsFromJson(objects.arguments));
  return {};
}

/// Best effort, even after a stop request. A job without a record ends by itself.
void RollbackJob(Context& context, const record::Record& record) {
  const auto tell = [&](const Status& status) {
    if (!status) context.Log(LogLevel::kWarning, status.error().message);
  };
  tell(context.target->Remove(record.id, {}));
  tell(RemoveObject(*context.store, record::RecordName(record.id)));
  RemoveStagedObjects(context, record);
}

}  // namespace

Result<JobObjects> BuildRecord(const Context& context, const PreparedJob& prepared,
                               const JobSpec& spec, const std::string& id) {
  if (!id.empty()) KINETIC_RETURN_IF_ERROR(CheckJobId(id));
  JobObjects objects;
  record::Record& record = objects.record;
  record.id = id.empty() ? RandomId() : id;
  record.created = context.clock.Now();
  record.owner = context.options.owner;
  record.client_version = Version();
  record.target = context.options.profile.name;
  record.target_identity = context.target->Identity();
  record.nonce = ToHex(RandomBytes(kNonceBytes));
  record.spec = spec;
  record.tree = prepared.tree;
  record.data = prepared.data;
  record.listed_data = prepared.listed_data;
  objects.listings = prepared.listings;
  record.not_applied = prepared.not_applied;
  record.git = prepared.git;
  record.price = context.target->PriceOf(spec);
  record.preparation = prepared.phases;
  for (const auto& secret : prepared.secrets) record.secret_names.push_back(secret.first);
  if (prepared.original) {
    CopyEnvironment(*prepared.original, record);
  } else {
    RecordEnvironment(prepared.environment, record);
  }

  KINETIC_RETURN_IF_ERROR(AddArguments(spec, objects));
  return objects;
}

bool CanSubmitConcurrently(const Context& context, const PreparedJob& prepared,
                           const JobObjects& objects, const std::string& chosen_id) {
  return context.target->Traits().runner_awaits_record && chosen_id.empty() &&
         objects.listings.empty() && objects.arrays.empty() && objects.record.arrays.empty() &&
         objects.record.inline_arguments.has_value() && !prepared.lease->HasDeferredTrees();
}

Result<bool> SubmitConcurrently(Context& context, const PreparedJob& prepared,
                                const record::Record& record, const std::stop_token& stop) {
  store::Store& store = *context.store;
  const std::string json = record::ToJson(record);
  const backend::Launch launch{.record = &record,
                               .record_digest = Sha256::Of(json),
                               .environment = {},
                               .secrets = prepared.secrets};
  const std::array<std::function<Status(const std::stop_token&)>, 3> parts{
      [&](const std::stop_token& stopping) -> Status {
        KINETIC_ASSIGN_OR_RETURN(const auto put,
                                 store::PutBytes(store, record::RecordName(record.id), json,
                                                 store::Precondition::Absent(), stopping));
        if (put) return {};
        return Fail(ErrorCode::kAlreadyExists, "job " + record.id + " exists");
      },
      [&](const std::stop_token& stopping) {
        return record::CreateIndex(store, record::SummaryOf(record), stopping);
      },
      [&](const std::stop_token& stopping) { return context.target->Start(launch, stopping); }};
  auto all = ParallelFor(
      parts.size(), parts.size(), stop,
      [&](std::size_t part, const std::stop_token& stopping) { return parts.at(part)(stopping); });
  auto confirmed = all ? prepared.lease->Confirm(stop) : Failure(std::move(all).error());
  if (!confirmed || !*confirmed) RollbackJob(context, record);
  return confirmed;
}

Status RemoveObject(store::Store& store, const std::string& name) {
  KINETIC_ASSIGN_OR_RETURN(const auto there, store.Stat(name, {}));
  if (there) KINETIC_RETURN_IF_ERROR(store.RemoveIfUnchanged(*there, {}));
  return {};
}

void RemoveStagedObjects(Context& context, const record::Record& record) {
  auto& store = *context.store;
  Status removed;
  if (!record.inline_arguments) {
    removed = RemoveObject(store, record::ArgumentsName(record.id, record.nonce));
  }
  for (const auto& array : record::ReferredArrays(record.spec.args)) {
    if (!removed) break;
    if (array.use == record::ArrayUse::kOwn)
      removed = RemoveObject(store, record::NameOf(array, record));
  }
  for (const auto& data : record.listed_data) {
    if (!removed) break;
    removed =
        RemoveObject(store, record::DataListingName(record.id, record.nonce, data.second.listing));
  }
  if (removed) removed = record::RemoveIndex(store, record.created, record.id, {});
  if (!removed) context.Log(LogLevel::kWarning, removed.error().message);
}

}  // namespace kinetic::job
