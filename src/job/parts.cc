#include "job/parts.h"

#include "kinetic/try.h"

#include "job/bundle/data_sets.h"
#include "job/checked.h"
#include "job/environment/job_environment.h"
#include "job/environment/make.h"
#include "job/image_commands.h"
#include "job/submit/pipeline.h"
#include "jobspec/check_errors.h"

#include <utility>

namespace kinetic::inline v0 {

using job::Checked;

Datasets::Datasets(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<PutDatasetReport> Datasets::Put(const std::filesystem::path& source,
                                       const PutDatasetOptions& options, std::stop_token stop) {
  return job::PutData(*Checked(impl_).context, source, options, std::move(stop));
}

Result<std::vector<Dataset>> Datasets::List(Observer* observer, std::stop_token stop) {
  return job::ListData(*Checked(impl_).context, observer, std::move(stop));
}

Result<std::vector<Dataset>> Datasets::Remove(const std::vector<std::string>& names,
                                              std::stop_token stop) {
  return job::RemoveData(*Checked(impl_).context, names, std::move(stop));
}

Environments::Environments(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<EnvironmentLock> Environments::Lock(const JobSpec& spec, const LockOptions& options,
                                           std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckErrors(spec));
  return job::LockPackages(*Checked(impl_).context, spec,
                           {.relock = options.relock, .observer = options.observer},
                           std::move(stop));
}

Result<EnvironmentExplanation> Environments::Explain(const JobSpec& spec, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckErrors(spec));
  return job::ExplainPackages(*Checked(impl_).context, spec, std::move(stop));
}

Result<std::vector<PackageOrigin>> Environments::Why(const JobSpec& spec, std::string_view package,
                                                     std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckErrors(spec));
  return job::ExplainPackage(*Checked(impl_).context, spec, package, std::move(stop));
}

Result<std::vector<EnvironmentSummary>> Environments::List(std::stop_token stop) {
  return job::ListEnvironments(*Checked(impl_).context, std::move(stop));
}

Result<std::vector<EnvironmentSummary>> Environments::Remove(const std::vector<std::string>& ids,
                                                             std::stop_token stop) {
  return job::RemoveEnvironments(*Checked(impl_).context, ids, std::move(stop));
}

Images::Images(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<EnvironmentImage> Images::Build(const JobSpec& spec, const BuildImageOptions& options,
                                       std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckErrors(spec));
  return job::BuildImage(
      *Checked(impl_).context, spec,
      {.locked = options.locked, .relock = options.relock, .observer = options.observer},
      std::move(stop));
}

Result<std::vector<EnvironmentImage>> Images::List(std::stop_token stop) {
  return job::ListImages(*Checked(impl_).context, std::move(stop));
}

Result<std::vector<EnvironmentImage>> Images::Remove(const std::vector<std::string>& tags,
                                                     std::stop_token stop) {
  return job::RemoveImages(*Checked(impl_).context, tags, std::move(stop));
}

}  // namespace kinetic::inline v0
