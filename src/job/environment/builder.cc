#include "job/environment/builder.h"

#include "kinetic/try.h"

#include "env/image/layers_builder.h"
#include "env/packages/built_wheels.h"
#include "env/packages/stored_packages.h"
#include "env/virtualenv/builder.h"
#include "job/context.h"
#include "job/environment/image_records.h"
#include "job/environment/image_registries.h"
#include "job/environment/make.h"
#include "pod/container.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinetic::job {
namespace {

env::PrivateUrls InstallUrls(const Context& context, const JobEnvironment& environment) {
  if (!environment.lock) return environment.manifest->private_urls;
  auto urls = env::InstallUrls(*environment.manifest, environment.lock->lock);
  env::AddWheelUrls(environment.lock->lock, ToolOptionsOf(context), urls);
  return urls;
}

/// Fetches built wheels before packages are installed.
class WheelFetcher final : public env::EnvironmentBuilder {
 public:
  WheelFetcher(const Context& context, std::unique_ptr<env::EnvironmentBuilder> builder)
      : context_(context), builder_(std::move(builder)) {}

  Result<std::optional<env::ReadyEnvironment>> Find(const env::Lock& lock,
                                                    std::stop_token stop) override {
    return builder_->Find(lock, std::move(stop));
  }
  Result<env::ReadyEnvironment> Ensure(const env::Lock& lock, Observer* observer,
                                       std::stop_token stop) override {
    const bool has_wheels = std::ranges::any_of(
        lock.packages, [](const env::LockedPackage& package) { return !package.wheel.empty(); });
    if (has_wheels) {
      KINETIC_ASSIGN_OR_RETURN(const auto found, builder_->Find(lock, stop));
      if (!found) {
        KINETIC_RETURN_IF_ERROR(
            env::FetchWheels(lock, *context_.store, ToolOptionsOf(context_), stop));
      }
    }
    return builder_->Ensure(lock, observer, std::move(stop));
  }

 private:
  const Context& context_;
  std::unique_ptr<env::EnvironmentBuilder> builder_;
};

/// Environment images, with the registries that they use.
class LayersBuilder final : public env::EnvironmentBuilder {
 public:
  LayersBuilder(const Context& context, const JobEnvironment& environment)
      : registries_(context),
        builder_(env::MakeSingleFlightBuilder(
            env::MakeLayersBuilder({.tools = ToolOptionsOf(context),
                                    .private_urls = InstallUrls(context, environment),
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
  ImageOrArchives(const Context& context, const JobEnvironment& environment, Observer* observer)
      : layers_(context, environment),
        archives_(ArchivesBuilderFor(context, environment)),
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

}  // namespace

std::unique_ptr<env::EnvironmentBuilder> ArchivesBuilderFor(const Context& context,
                                                            const JobEnvironment& environment) {
  return std::make_unique<WheelFetcher>(
      context, env::MakeArchivesBuilder({.tools = ToolOptionsOf(context),
                                         .private_urls = InstallUrls(context, environment),
                                         .store = *context.store,
                                         .prefix = std::string(pod::kEnvironmentFolder)}));
}

std::unique_ptr<env::EnvironmentBuilder> VirtualenvBuilderFor(const Context& context,
                                                              const env::Lock& lock,
                                                              env::PrivateUrls private_urls) {
  const env::ToolOptions tools = ToolOptionsOf(context);
  env::AddWheelUrls(lock, tools, private_urls);
  return std::make_unique<WheelFetcher>(
      context,
      env::MakeVirtualenvBuilder({.tools = tools, .private_urls = std::move(private_urls)}));
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
  return RecordBuiltImages(context, NamingOf(context, environment),
                           std::make_unique<WheelFetcher>(
                               context, std::make_unique<LayersBuilder>(context, environment)));
}

std::unique_ptr<env::EnvironmentBuilder> BuilderFor(const Context& context,
                                                    const JobEnvironment& environment,
                                                    Observer* observer) {
  if (!environment.base) {
    const env::Lock lock = environment.lock ? environment.lock->lock : env::Lock();
    return VirtualenvBuilderFor(context, lock, env::InstallUrls(*environment.manifest, lock));
  }
  if (BuildsImages(context)) return ImageBuilderFor(context, environment);
  if (!MayBuildImages(context)) return ArchivesBuilderFor(context, environment);
  return std::make_unique<ImageOrArchives>(context, environment, observer);
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
