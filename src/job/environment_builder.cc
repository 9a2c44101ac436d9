#include "job/environment_builder.h"

#include "base/try.h"
#include "env/archives.h"
#include "env/dockerfile_images.h"
#include "env/layers.h"
#include "env/one_maker.h"
#include "env/virtualenv.h"
#include "job/dockerfile_builder.h"
#include "job/image_registries.h"
#include "job/image_turn.h"
#include "job/made_images.h"
#include "job/packages_in_cluster.h"
#include "job/tools.h"
#include "pod/container.h"

#include <chrono>
#include <utility>

namespace kinetic::job {
namespace {

env::OneMakerOptions OneMakerOptionsOf(const Context& context, const JobEnvironment& environment) {
  return {.naming = NamingOf(context, environment),
          .store = *context.store,
          .clock = context.clock,
          .self = PartyOfThisClient()};
}

/// *layers*, with the registries that it asks.
class Layers final : public env::EnvironmentBuilder {
 public:
  Layers(const Context& context, const JobEnvironment& environment)
      : registries_(context),
        builder_(env::MakeOneMaker(
            env::MakeLayersBuilder({.tools = ToolsOf(context),
                                    .private_urls = environment.manifest->private_urls,
                                    .store = *context.store,
                                    .registries = registries_,
                                    .naming = NamingOf(context, environment)}),
            OneMakerOptionsOf(context, environment))) {}

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

/// By the Dockerfile that is written for them, with the registries that it asks.
class DockerfileImages final : public env::EnvironmentBuilder {
 public:
  DockerfileImages(const Context& context, const JobEnvironment& environment)
      : registries_(context),
        dockerfiles_(DockerfileBuilderFor(context)),
        builder_(env::MakeDockerfileImagesBuilder(
            {.tools = ToolsOf(context),
             .private_urls = environment.manifest->private_urls,
             .registries = registries_,
             .naming = NamingOf(context, environment),
             .plain_registries = context.options.profile.kubernetes.plain_registries,
             .builder = *dockerfiles_})) {
    // Builds of Cloud Build are found and followed by all who want the same.
    if (context.options.profile.kubernetes.environments == EnvironmentForm::kCloudBuild) return;
    builder_ = env::MakeOneMaker(std::move(builder_), OneMakerOptionsOf(context, environment));
  }

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
  std::unique_ptr<env::DockerfileBuilder> dockerfiles_;
  std::unique_ptr<env::EnvironmentBuilder> builder_;
};

/// An image where there is one, else archives.
class ImageOrArchives final : public env::EnvironmentBuilder {
 public:
  ImageOrArchives(const Context& context, const JobEnvironment& environment,
                  std::shared_ptr<env::Uplink> uplink, Observer* observer)
      : layers_(context, environment),
        archives_(ArchivesBuilderFor(context, environment, std::move(uplink))),
        observer_(observer) {}

  Result<std::optional<env::ReadyEnvironment>> Find(const env::Lock& lock,
                                                    std::stop_token stop) override {
    auto image = layers_.Find(lock, stop);
    if (image && *image) return image;
    if (!image && image.error().code == ErrorCode::kCancelled) return image;
    if (!image && observer_ != nullptr) {
      observer_->OnWarning("whether there is an image for the job's packages is not known: " +
                           image.error().message);
    }
    return archives_->Find(lock, std::move(stop));
  }
  Result<env::ReadyEnvironment> Ensure(const env::Lock& lock, Observer* observer,
                                       std::stop_token stop) override {
    return archives_->Ensure(lock, observer, std::move(stop));
  }

 private:
  Layers layers_;
  std::unique_ptr<env::EnvironmentBuilder> archives_;
  Observer* observer_;
};

/// How long packages may be under way from here, where a pod could fetch them as well.
std::shared_ptr<env::Uplink> UplinkOf(const Context& context) {
  constexpr std::chrono::seconds kPatience{90};
  if (context.options.profile.kubernetes.packages_made != PackagesMaker::kAuto) return nullptr;
  return std::make_shared<env::Uplink>(context.clock, kPatience);
}

}  // namespace

std::unique_ptr<env::EnvironmentBuilder> ArchivesBuilderFor(const Context& context,
                                                            const JobEnvironment& environment,
                                                            std::shared_ptr<env::Uplink> uplink) {
  return env::MakeArchivesBuilder({.tools = ToolsOf(context),
                                   .private_urls = environment.manifest->private_urls,
                                   .store = *context.store,
                                   .prefix = std::string(pod::kEnvironmentFolder),
                                   .uplink = std::move(uplink)});
}

bool MakesImages(const Context& context) {
  const EnvironmentForm form = context.options.profile.kubernetes.environments;
  return context.options.profile.kind != TargetKind::kLocal &&
         (form == EnvironmentForm::kLayers || form == EnvironmentForm::kEngine ||
          form == EnvironmentForm::kCloudBuild);
}

bool MayMakeImages(const Context& context) {
  const ClusterProfile& cluster = context.options.profile.kubernetes;
  return context.options.profile.kind != TargetKind::kLocal &&
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
  const EnvironmentForm form = context.options.profile.kubernetes.environments;
  std::unique_ptr<env::EnvironmentBuilder> builder;
  if (form == EnvironmentForm::kEngine || form == EnvironmentForm::kCloudBuild) {
    builder = std::make_unique<DockerfileImages>(context, environment);
  } else {
    builder =
        WithPackagesOfCluster(context, environment, std::make_unique<Layers>(context, environment));
  }
  return NoteMadeImages(context, NamingOf(context, environment), std::move(builder));
}

std::unique_ptr<env::EnvironmentBuilder> BuilderFor(const Context& context,
                                                    const JobEnvironment& environment,
                                                    Observer* observer) {
  if (!environment.base) {
    return env::MakeVirtualenvBuilder(
        {.tools = ToolsOf(context), .private_urls = environment.manifest->private_urls});
  }
  if (MakesImages(context)) return ImageBuilderFor(context, environment);
  auto uplink = UplinkOf(context);
  std::unique_ptr<env::EnvironmentBuilder> builder;
  if (MayMakeImages(context)) {
    builder = std::make_unique<ImageOrArchives>(context, environment, uplink, observer);
  } else {
    builder = ArchivesBuilderFor(context, environment, uplink);
  }
  return WithPackagesOfCluster(context, environment, std::move(builder), std::move(uplink));
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
