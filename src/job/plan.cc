#include "job/plan.h"

#include "base/try.h"
#include "bundle/listing.h"
#include "bundle/tree.h"
#include "env/explain.h"
#include "job/build_record.h"
#include "job/find.h"
#include "job/prepare.h"
#include "record/layout.h"

#include <utility>

namespace kinetic::job {
namespace {

Result<EnvironmentExplanation> Describe(Context& context, const std::string& name,
                                        const JobEnvironment& environment,
                                        const std::stop_token& stop) {
  if (!environment.manifest) return EnvironmentExplanation();
  std::optional<env::EarlierInputs> earlier;
  if (!name.empty()) {
    KINETIC_ASSIGN_OR_RETURN(auto last, LastJobNamed(context, name, stop));
    if (last) earlier = env::EarlierInputs{last->id, std::move(last->environment_inputs)};
  }
  return env::Explain(*environment.manifest, environment.lock, environment.ready, earlier);
}

/// The names of the objects that a submission would create. Packs have their names when they are
/// made.
Result<std::vector<std::string>> NewObjects(Context& context, const Prepared& prepared,
                                            const record::Record& record,
                                            const std::stop_token& stop) {
  std::vector<std::string> names{record::TreeName(prepared.tree)};
  for (const auto& data : prepared.data) names.push_back(record::TreeName(data.second.tree));
  const auto& manifest = prepared.environment.manifest;
  if (manifest && !manifest->own_lock && !manifest->Empty()) {  // these resolve to themselves
    names.push_back(record::LockName(manifest->Key()));
  }
  std::vector<std::string> created;
  for (auto& name : names) {
    KINETIC_ASSIGN_OR_RETURN(const auto there, context.store->Stat(name, stop));
    if (!there) created.push_back(std::move(name));
  }
  if (!record.inline_arguments) {
    created.push_back(record::ArgumentsName(record.id, record.nonce));
  }
  for (const auto& data : record.listed_data) {
    created.push_back(record::DataListingName(record.id, record.nonce, data.second.listing));
  }
  created.push_back(record::IndexName(record.created, record.id));
  created.push_back(record::RecordName(record.id));
  return created;
}

/// The environment of a job, looked at without its bundle.
Result<JobEnvironment> LookAtEnvironment(Context& context, const JobSpec& spec,
                                         const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto root, FindPackageRoot(context, spec));
  KINETIC_ASSIGN_OR_RETURN(const auto python, FindJobPython(context, spec, stop));
  return ReadEnvironment(context, spec, root.path, python);
}

}  // namespace

Result<Plan> MakePlan(Context& context, const JobSpec& spec, const SubmitOptions& options,
                      std::stop_token stop) {
  const PrepareOptions look{
      .send = false,
      .lock = {.locked = options.locked, .relock = options.relock, .observer = options.observer}};
  KINETIC_ASSIGN_OR_RETURN(const Prepared prepared, PrepareJob(context, spec, look, stop));
  if (options.locked && prepared.environment.manifest && !prepared.environment.lock) {
    return Fail(ErrorCode::kFailedPrecondition, "there is no lock for the job's dependencies",
                "kinetic lock makes one");
  }
  KINETIC_ASSIGN_OR_RETURN(const JobObjects objects, BuildRecord(context, prepared, options.id));
  Plan plan;
  plan.target = context.options.profile.name;
  plan.bundle = bundle::ToListing(prepared.package->source);
  plan.tree_digest = prepared.tree.Hex();
  KINETIC_ASSIGN_OR_RETURN(plan.environment,
                           Describe(context, spec.name, prepared.environment, stop));
  KINETIC_ASSIGN_OR_RETURN(plan.record, Value::FromJson(record::ToJson(objects.record)));
  KINETIC_ASSIGN_OR_RETURN(plan.objects, NewObjects(context, prepared, objects.record, stop));
  KINETIC_ASSIGN_OR_RETURN(
      plan.manifests,
      context.target->Describe({.record = &objects.record,
                                .record_digest = Sha256::Of(record::ToJson(objects.record)),
                                .environment = {},
                                .secrets = prepared.secrets}));
  plan.not_applied = prepared.not_applied;
  return plan;
}

Result<EnvironmentLock> LockPackages(Context& context, const JobSpec& spec,
                                     const LockRequest& request, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto environment, LookAtEnvironment(context, spec, stop));
  if (!environment.manifest) {
    return Fail(ErrorCode::kFailedPrecondition, "the job has no dependencies: nothing to lock",
                "dependencies: names the file that lists them");
  }
  KINETIC_RETURN_IF_ERROR(LockEnvironment(context, environment, request, std::move(stop)));
  return *env::Explain(*environment.manifest, environment.lock, std::nullopt, std::nullopt).lock;
}

Result<EnvironmentExplanation> ExplainPackages(Context& context, const JobSpec& spec,
                                               std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto environment, LookAtEnvironment(context, spec, stop));
  KINETIC_RETURN_IF_ERROR(FindEnvironment(context, environment, stop));
  return Describe(context, spec.name, environment, stop);
}

}  // namespace kinetic::job
