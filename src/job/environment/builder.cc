#include "job/environment/builder.h"

#include "kinetic/try.h"

#include "env/image/layers_builder.h"
#include "env/packages/stored_packages.h"
#include "env/virtualenv/builder.h"
#include "job/context.h"
#include "job/environment/make.h"
#include "job/images/records.h"
#include "job/images/registries.h"
#include "pod/container.h"

#include <chrono>
#include <utility>

namespace kinetic::job {
namespace {

/// Environment images, with the registries that they use.
class LayersBuilder final : public env::EnvironmentBuilder {
 public:
  LayersBuilder(const Context& context, const JobEnvironment& environment)
      : registries_(context),
        builder_(env::MakeSingleFlightBuilder(
            env::MakeLayersBuilder({.tools = ToolOptionsOf(context),
                                    .private_urls = environment.manifest->private_urls,
                                    .store = *context.store,
                                    .registries = registries_,
                                    .naming = NamingOf(context, environment)}),
            {.naming = NamingOf(context, environment),
             .store = *context.store,
             .clock = context.clock,
             .self = LeaseClient()})) {}

  Result<std::optional<env::ReadyEnvironment>> Find(const env::Lock& lock,
                                                    std::stop_token stop) override {
    return builder_->Find(lock, std::move(stop));
  }
  Result<env::ReadyEnvironment> Ensure(const env::Lock& lock, Observer* observer,
                                       std::stop_token stop) override {
    return builder_->Ensure(lock, observer, std::move(stop));
  }

 private:
  ImageRegistries registries_;
  std::unique_ptr<env::EnvironmentBuilder> builder_;
};

/// Uses an image if there is one, and archives otherwise.
class ImageOrArchives final : public env::EnvironmentBuilder {
 public:
  ImageOrArchives(const Context& context, const JobEnvironment& environment,
                  std::shared_ptr<env::UploadEstimator> upload_estimator, Observer* observer)
      : layers_(context, environment),
        archives_(ArchivesBuilderFor(context, environment, std::move(upload_estimator))),
        observer_(observer) {}

  Result<std::optional<env::ReadyEnvironment>> Find(const env::Lock& lock,
                                                    std::stop_token stop) override {
    auto image = layers_.Find(lock, stop);
    if (image && *image) return image;
    if (!image && image.error().code == ErrorCode::kCancelled) return image;
    if (!image && observer_ != nullptr) {
      observer_->OnWarning("cannot look up the image for the job's packages: " +
                           image.error().message);
    }
    return archives_->Find(lock, std::move(stop));
  }
  Result<env::ReadyEnvironment> Ensure(const env::Lock& lock, Observer* observer,
                                       std::stop_token stop) override {
    return archives_->Ensure(lock, observer, std::move(stop));
  }

 private:
  LayersBuilder layers_;
  std::unique_ptr<env::EnvironmentBuilder> archives_;
  Observer* observer_;
};

/// Returns the upload limit after which a pod fetches the packages instead.
std::shared_ptr<env::UploadEstimator> UploadEstimatorFor(const Context& context) {
  constexpr std::chrono::seconds kMaxUpload{90};
  if (context.options.profile.kubernetes.package_builds != PackageBuilds::kAuto) return nullptr;
  return std::make_shared<env::UploadEstimator>(context.clock, kMaxUpload);
}

}  // namespace

std::unique_ptr<env::EnvironmentBuilder> ArchivesBuilderFor(
    const Context& context, const JobEnvironment& environment,
    std::shared_ptr<env::UploadEstimator> upload_estimator) {
  return env::MakeArchivesBuilder({.tools = ToolOptionsOf(context),
                                   .private_urls = environment.manifest->private_urls,
                                   .store = *context.store,
                                   .prefix = std::string(pod::kEnvironmentFolder),
                                   .upload_estimator = std::move(upload_estimator)});
}

bool BuildsImages(const Context& context) {
  return context.target->container_images() != nullptr &&
         context.options.profile.kubernetes.environments == EnvironmentForm::kLayers;
}

bool MayBuildImages(const Context& context) {
  const ClusterProfile& cluster = context.options.profile.kubernetes;
  return context.target->container_images() != nullptr &&
         cluster.environments == EnvironmentForm::kAuto && !cluster.environment_images.empty();
}

env::ImageNaming NamingOf(const Context& context, const JobEnvironment& environment) {
  return {.prefix = std::string(pod::kEnvironmentFolder),
          .base = environment.base->image,
          .repository = context.options.profile.kubernetes.environment_images,
          .category = environment.manifest->accelerator};
}

std::unique_ptr<env::EnvironmentBuilder> ImageBuilderFor(const Context& context,
                                                         const JobEnvironment& environment) {
  auto builder = WithClusterPackages(context, environment,
                                     std::make_unique<LayersBuilder>(context, environment));
  return RecordBuiltImages(context, NamingOf(context, environment), std::move(builder));
}

std::unique_ptr<env::EnvironmentBuilder> BuilderFor(const Context& context,
                                                    const JobEnvironment& environment,
                                                    Observer* observer) {
  if (!environment.base) {
    return env::MakeVirtualenvBuilder(
        {.tools = ToolOptionsOf(context), .private_urls = environment.manifest->private_urls});
  }
  if (BuildsImages(context)) return ImageBuilderFor(context, environment);
  auto upload_estimator = UploadEstimatorFor(context);
  std::unique_ptr<env::EnvironmentBuilder> builder;
  if (MayBuildImages(context)) {
    builder = std::make_unique<ImageOrArchives>(context, environment, upload_estimator, observer);
  } else {
    builder = ArchivesBuilderFor(context, environment, upload_estimator);
  }
  return WithClusterPackages(context, environment, std::move(builder), std::move(upload_estimator));
}

Result<bool> HasImage(const Context& context, const std::string& image, std::stop_token stop) {
  ImageRegistries registries(context);
  const std::size_t at = image.find('@');
  KINETIC_ASSIGN_OR_RETURN(const oci::Reference name, oci::ParseReference(image.substr(0, at)));
  KINETIC_ASSIGN_OR_RETURN(const oci::Repository* repository, registries.OpenToRead(name));
  KINETIC_ASSIGN_OR_RETURN(const auto digest,
                           repository->FindManifest(image.substr(at + 1), std::move(stop)));
  return digest.has_value();
}

}  // namespace kinetic::job
