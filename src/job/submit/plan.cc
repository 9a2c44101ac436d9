#include "kinetic/try.h"

#include "backend/capabilities.h"
#include "base/concurrency/parallel.h"
#include "bundle/format/tree.h"
#include "bundle/source/walk.h"
#include "env/resolve/explain.h"
#include "env/resolve/origins.h"
#include "job/environment/make.h"
#include "job/find.h"
#include "job/submit/job_objects.h"
#include "job/submit/pipeline.h"
#include "job/submit/prepare.h"
#include "record/array_references.h"
#include "record/object_names.h"

#include <utility>

namespace kinetic::job {
namespace {

constexpr std::size_t kConcurrentRequests = 16;

Failure NoDependencies() {
  return Fail(ErrorCode::kFailedPrecondition, "the job has no dependencies: nothing to lock",
              "set 'dependencies' to the file that lists them");
}

/// Returns the names of the objects that a submission would create. Names of packs are known only
/// after they are built.
Result<std::vector<std::string>> NewObjects(Context& context, const PreparedJob& prepared,
                                            const record::Record& record,
                                            const std::stop_token& stop) {
  std::vector<std::string> names{record::TreeName(prepared.tree)};
  for (const auto& data : prepared.data) names.push_back(record::TreeName(data.second.tree));
  for (auto& name : ObjectsToMake(context, prepared.environment)) names.push_back(std::move(name));
  std::vector<char> is_there(names.size());
  const auto look = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    KINETIC_ASSIGN_OR_RETURN(const auto info, context.store->Stat(names[i], stopping));
    is_there[i] = info ? 1 : 0;
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kConcurrentRequests, names.size(), stop, look));
  std::vector<std::string> created;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_there[i] == 0) created.push_back(std::move(names[i]));
  }
  if (!record.inline_arguments) {
    created.push_back(record::ArgumentsName(record.id, record.nonce));
  }
  for (const auto& array : record::ReferredArrays(record.spec.args)) {
    if (array.use == record::ArrayUse::kOwn) created.push_back(record::NameOf(array, record));
  }
  for (const auto& data : record.listed_data) {
    created.push_back(record::DataListingName(record.id, record.nonce, data.second.listing));
  }
  created.push_back(record::IndexName(record.created, record.id));
  created.push_back(record::RecordName(record.id));
  return created;
}

}  // namespace

Result<Plan> MakePlan(Context& context, const JobSpec& spec, const SubmitOptions& options,
                      std::stop_token stop) {
  const PrepareOptions look{
      .send = false,
      .lock = {.locked = options.locked, .relock = options.relock, .observer = options.observer}};
  KINETIC_ASSIGN_OR_RETURN(PreparedJob prepared, PrepareJob(context, spec, look, stop));
  if (options.locked && prepared.environment.manifest && !prepared.environment.lock) {
    return Fail(ErrorCode::kFailedPrecondition, "there is no lock for the job's dependencies",
                "create one with 'kinetic lock'");
  }
  KINETIC_ASSIGN_OR_RETURN(const JobObjects objects,
                           BuildRecord(context, prepared, prepared.spec, options.id));
  Plan plan;
  plan.target = context.options.profile.name;
  plan.bundle = bundle::ToListing(std::move(prepared.files->source));
  plan.tree_digest = prepared.tree.Hex();
  KINETIC_ASSIGN_OR_RETURN(plan.environment,
                           DescribeEnvironment(context, spec.name, prepared.environment, stop));
  KINETIC_ASSIGN_OR_RETURN(plan.record, Value::FromJson(record::ToJson(objects.record)));
  KINETIC_ASSIGN_OR_RETURN(plan.objects, NewObjects(context, prepared, objects.record, stop));
  KINETIC_ASSIGN_OR_RETURN(
      plan.manifests,
      context.target->DescribeJob({.record = &objects.record,
                                   .record_digest = Sha256::Of(record::ToJson(objects.record)),
                                   .environment = {},
                                   .secrets = prepared.secrets},
                                  stop));
  plan.not_applied = prepared.not_applied;
  return plan;
}

Result<JobEnvironment> InspectEnvironment(Context& context, const JobSpec& spec,
                                          std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto root, FindBundleRoot(context, spec));
  KINETIC_ASSIGN_OR_RETURN(const auto python, FindJobPython(context, spec, std::move(stop)));
  return ReadEnvironment(context, spec, root.path, python);
}

Result<EnvironmentExplanation> DescribeEnvironment(Context& context, const std::string& name,
                                                   const JobEnvironment& environment,
                                                   std::stop_token stop) {
  if (!environment.manifest) return EnvironmentExplanation();
  std::optional<env::PreviousInputs> earlier;
  if (!name.empty()) {
    KINETIC_ASSIGN_OR_RETURN(auto last, FindNewestJob(context, name, std::move(stop)));
    if (last) earlier = env::PreviousInputs{last->id, std::move(last->environment_inputs)};
  }
  return env::Explain(*environment.manifest, environment.lock, environment.ready, earlier);
}

Result<EnvironmentLock> LockPackages(Context& context, const JobSpec& spec,
                                     const LockRequest& request, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto environment, InspectEnvironment(context, spec, stop));
  if (!environment.manifest) return NoDependencies();
  if (request.observer != nullptr) {
    const std::string file = environment.manifest->source.filename().string();
    request.observer->OnPhaseBegin(
        Phase::kBuild, "resolving " + (file.empty() ? std::string("dependencies") : file));
  }
  KINETIC_RETURN_IF_ERROR(LockEnvironment(context, environment, request, std::move(stop)));
  if (request.observer != nullptr) request.observer->OnPhaseEnd(Phase::kBuild, {});
  return *env::Explain(*environment.manifest, environment.lock, std::nullopt, std::nullopt).lock;
}

Result<EnvironmentExplanation> ExplainPackages(Context& context, const JobSpec& spec,
                                               std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto environment, InspectEnvironment(context, spec, stop));
  KINETIC_RETURN_IF_ERROR(FindEnvironment(context, environment, stop));
  return DescribeEnvironment(context, spec.name, environment, stop);
}

Result<std::vector<PackageOrigin>> ExplainPackage(Context& context, const JobSpec& spec,
                                                  std::string_view package, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto environment, InspectEnvironment(context, spec, stop));
  if (!environment.manifest) return NoDependencies();
  KINETIC_RETURN_IF_ERROR(FindJobLock(context, environment, stop));
  if (!environment.lock) {
    return Fail(ErrorCode::kFailedPrecondition, "the job's dependencies have no lock",
                "create one with 'kinetic lock'");
  }
  return env::FindOrigins(*environment.manifest, environment.lock->lock, ToolOptionsOf(context),
                          package, std::move(stop));
}

}  // namespace kinetic::job
