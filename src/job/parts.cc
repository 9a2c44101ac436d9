#include "job/parts.h"

#include "kinetic/try.h"

#include "job/bundle/data_sets.h"
#include "job/environment/job_environment.h"
#include "job/environment/make.h"
#include "job/images/commands.h"
#include "job/submit/pipeline.h"
#include "jobspec/check_errors.h"

#include <utility>

namespace kinetic::inline v0 {

Datasets::Datasets(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<PutDatasetReport> Datasets::Put(const std::filesystem::path& source,
                                       const PutDatasetOptions& options, std::stop_token stop) {
  return job::PutData(*impl_->context, source, options, std::move(stop));
}

Result<std::vector<Dataset>> Datasets::List(Observer* observer, std::stop_token stop) {
  return job::ListData(*impl_->context, observer, std::move(stop));
}

Result<Dataset> Datasets::Remove(std::string_view name, std::stop_token stop) {
  return job::RemoveData(*impl_->context, name, std::move(stop));
}

Environments::Environments(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<EnvironmentLock> Environments::Lock(const JobSpec& spec, const LockOptions& options,
                                           std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckErrors(spec));
  return job::LockPackages(*impl_->context, spec,
                           {.relock = options.relock, .observer = options.observer},
                           std::move(stop));
}

Result<EnvironmentExplanation> Environments::Explain(const JobSpec& spec, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckErrors(spec));
  return job::ExplainPackages(*impl_->context, spec, std::move(stop));
}

Result<std::vector<EnvironmentSummary>> Environments::List(std::stop_token stop) {
  return job::ListEnvironments(*impl_->context, std::move(stop));
}

Result<EnvironmentSummary> Environments::Remove(std::string_view id, std::stop_token stop) {
  return job::RemoveEnvironment(*impl_->context, id, std::move(stop));
}

Images::Images(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<EnvironmentImage> Images::Build(const JobSpec& spec, const BuildImageOptions& options,
                                       std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckErrors(spec));
  return job::BuildImage(
      *impl_->context, spec,
      {.locked = options.locked, .relock = options.relock, .observer = options.observer},
      std::move(stop));
}

Result<ImageExplanation> Images::Explain(const JobSpec& spec, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckErrors(spec));
  return job::ExplainImage(*impl_->context, spec, std::move(stop));
}

Result<ImageContents> Images::ReadContents(std::string_view image, std::stop_token stop) {
  return job::ReadImageContents(*impl_->context, image, std::move(stop));
}

Result<ImageContents> Images::ReadContents(const JobSpec& spec, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckErrors(spec));
  return job::ReadImageContents(*impl_->context, spec, std::move(stop));
}

Result<std::vector<EnvironmentImage>> Images::List(std::stop_token stop) {
  return job::ListImages(*impl_->context, std::move(stop));
}

Result<EnvironmentImage> Images::Remove(std::string_view tag, std::stop_token stop) {
  return job::RemoveImage(*impl_->context, tag, std::move(stop));
}

}  // namespace kinetic::inline v0
