#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "env/image/package_layers.h"
#include "env/image/registry_images.h"
#include "env/image/stored_image.h"
#include "env/packages/stored_packages.h"
#include "env/pep/target_platform.h"
#include "job/environment/builder.h"
#include "job/environment/job_environment.h"
#include "job/environment/make.h"
#include "job/images/commands.h"
#include "job/images/job_dockerfile.h"
#include "job/images/registries.h"
#include "job/submit/pipeline.h"
#include "record/object_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace kinetic::job {
namespace {

using Part = ExplainedLayer::Part;

/// One inspection of a job's packages. Its parts run concurrently.
class ImageInspection {
 public:
  /// @param own  the job's Dockerfile; nullopt: none.
  ImageInspection(Context& context, JobEnvironment& environment, std::optional<JobDockerfile> own)
      : context_(context), environment_(environment), own_(std::move(own)) {}

  Status Run(const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(
        const auto platform,
        env::TargetPlatform::For(environment_.base->python, environment_.base->platform));
    architecture_ = platform.Architecture();
    using Step = Status (ImageInspection::*)(const std::stop_token&);
    constexpr std::array<Step, 4> kSteps{
        &ImageInspection::InspectImage, &ImageInspection::InspectBase,
        &ImageInspection::FindPackages, &ImageInspection::FindArchives};
    KINETIC_RETURN_IF_ERROR(ParallelFor(kSteps.size(), kSteps.size(), stop,
                                        [&](std::size_t step, const std::stop_token& step_stop) {
                                          return (this->*kSteps.at(step))(step_stop);
                                        }));
    return DescribeLayers(stop);
  }

  ImageExplanation ToExplanation() {
    ImageExplanation explanation;
    explanation.left_out = environment_.left_out;
    explanation.form = context_.options.profile.kubernetes.environments;
    explanation.image = image_.lookup;
    explanation.base = base_.lookup;
    if (stored_) explanation.base_when_built = stored_->base_digest;
    explanation.layers = std::move(layers_);
    if (environment_.lock) DescribePackages(explanation.packages);
    ChooseForm();
    explanation.outlook = Outlook();
    return explanation;
  }

 private:
  /// Returns the lock, or null if there are no packages to build an image of.
  const env::Lock* lock() const { return environment_.lock ? &environment_.lock->lock : nullptr; }
  env::ImageNaming Naming() const { return NamingOf(context_, environment_); }

  Status InspectImage(const std::stop_token& stop) {
    if (own_) return InspectTag(own_->build_request.reference, own_->key, stop);
    if (lock() == nullptr || Naming().repository.empty()) return {};
    if (!BuildsImages(context_) && !MayBuildImages(context_)) return {};
    return InspectTag(Naming().repository + ":" + env::ImageTag(*lock(), Naming()),
                      env::ImageKey(*lock(), Naming()), stop);
  }

  Status InspectTag(const std::string& name, const Digest& key, const std::stop_token& stop) {
    ImageRegistries registries(context_);
    KINETIC_ASSIGN_OR_RETURN(image_, env::InspectImage(name, architecture_, registries, stop));
    if (!image_.image) return {};
    KINETIC_ASSIGN_OR_RETURN(stored_,
                             env::ParseStoredImage(*image_.image, env::TagFromReference(name)));
    if (stored_ && stored_->key == key.Hex()) return {};
    // The tag has only twelve digits of the key and may belong to another image, as in
    // env::FindImage.
    stored_.reset();
    image_.image.reset();
    image_.lookup = {.name = image_.lookup.name,
                     .answer = ImageAnswer::kAbsent,
                     .reason = "the tag belongs to a different image",
                     .advice = {},
                     .digest = {}};
    return {};
  }

  Status InspectBase(const std::stop_token& stop) {
    if (own_) return {};  // there may be several without a name
    const std::string digest = lock() == nullptr ? std::string() : lock()->base_image;
    ImageRegistries registries(context_);
    KINETIC_ASSIGN_OR_RETURN(base_, env::InspectImage(PinnedBase(*environment_.base, digest),
                                                      architecture_, registries, stop));
    return {};
  }

  Status FindPackages(const std::stop_token& stop) {
    if (lock() == nullptr) return {};
    KINETIC_ASSIGN_OR_RETURN(
        packages_, env::FindStoredPackages(*lock(), NamingOf(context_, environment_).prefix,
                                           *context_.store, stop));
    return {};
  }

  Status FindArchives(const std::stop_token& stop) {
    if (lock() == nullptr || BuildsImages(context_)) return {};
    KINETIC_ASSIGN_OR_RETURN(archives_,
                             ArchivesBuilderFor(context_, environment_)->Find(*lock(), stop));
    if (!archives_) return {};
    KINETIC_ASSIGN_OR_RETURN(const auto tree,
                             context_.store->Stat(record::TreeName(archives_->tree->digest), stop));
    if (!tree) archives_.reset();
    return {};
  }

  Status DescribeLayers(const std::stop_token& stop) {
    const auto& shown = image_.image ? image_.image : base_.image;
    if (!shown) return {};
    std::map<Digest, std::string> names;
    if (image_.image && lock() != nullptr) {
      KINETIC_ASSIGN_OR_RETURN(
          names, env::LayerNames(*lock(), packages_, Naming().prefix, *context_.store, stop));
    }
    std::size_t below = shown->layers.size();
    if (image_.image) {
      KINETIC_ASSIGN_OR_RETURN(below, CountBaseLayers(stop));
    }
    for (std::size_t i = 0; i < shown->layers.size(); ++i) {
      const oci::Descriptor& layer = shown->layers[i];
      const auto name = names.find(layer.digest);
      ExplainedLayer described{.digest = oci::DigestString(layer.digest),
                               .size_bytes = layer.size_bytes};
      if (name != names.end()) described.holds = name->second;
      // The layer below the packages creates the virtual environment.
      if (!names.empty() && below > 0 && i == below) described.holds = "the environment itself";
      if (i < below) described.part = Part::kBase;
      if (name != names.end() || (below > 0 && i >= below)) described.part = Part::kPackages;
      layers_.push_back(std::move(described));
    }
    return {};
  }

  /// Returns how many of the image's layers belong to its base image, or 0 if unknown.
  Result<std::size_t> CountBaseLayers(const std::stop_token& stop) const {
    auto under = base_.image;
    const std::string& base_when_built = stored_->base_digest;
    if (!base_when_built.empty() && base_.lookup.digest != base_when_built) {
      ImageRegistries registries(context_);
      KINETIC_ASSIGN_OR_RETURN(const auto name, env::ParseImageName(environment_.base->image));
      oci::Reference repository = name.repository;
      repository.tag.clear();
      KINETIC_ASSIGN_OR_RETURN(
          auto looked, env::InspectImage(repository.Text() + "@" + base_when_built, architecture_,
                                         registries, stop));
      under = std::move(looked.image);
    }
    if (!under || under->layers.size() > image_.image->layers.size()) return std::size_t{0};
    const bool same =
        std::equal(under->layers.begin(), under->layers.end(), image_.image->layers.begin(),
                   [](const auto& a, const auto& b) { return a.digest == b.digest; });
    return same ? under->layers.size() : 0;
  }

  void DescribePackages(std::vector<ExplainedPackage>& packages) const {
    for (std::size_t i = 0; i < packages_.size(); ++i) {
      const env::LockedPackage& package = lock()->packages[i];
      ExplainedPackage one{.name = package.name,
                           .version = package.version.empty() ? package.url : package.version};
      if (packages_[i]) {
        one.stored = true;
        one.files = packages_[i]->files;
        one.size_bytes = packages_[i]->bytes;
      }
      packages.push_back(std::move(one));
    }
  }

  /// Determines which form a job would use.
  void ChooseForm() {
    if (image_.image && lock() != nullptr) {
      environment_.ready = env::EnvironmentInImage(*lock(), Naming(), image_.image->digest, false);
    } else {
      environment_.ready = archives_;
    }
  }

  PackagesOutlook Outlook() const {
    if (!own_ && !environment_.manifest) return PackagesOutlook::kNone;
    if (!own_ && lock() == nullptr) return PackagesOutlook::kResolved;
    if (image_.image) return PackagesOutlook::kImage;
    if (archives_) return PackagesOutlook::kArchives;
    if (!own_ && !BuildsImages(context_)) return PackagesOutlook::kArchivesMade;
    return image_.lookup.answer == ImageAnswer::kAbsent ? PackagesOutlook::kImageMade
                                                        : PackagesOutlook::kRefused;
  }

  Context& context_;
  JobEnvironment& environment_;
  const std::optional<JobDockerfile> own_;
  std::string architecture_;
  env::InspectedImage image_;
  env::InspectedImage base_;
  std::optional<env::StoredImage> stored_;  ///< what the labels of `image_` contain
  env::StoredPackages packages_;
  std::optional<env::ReadyEnvironment> archives_;
  std::vector<ExplainedLayer> layers_;
};

}  // namespace

Result<ImageExplanation> ExplainImage(Context& context, const JobSpec& spec, std::stop_token stop) {
  if (context.target->container_images() == nullptr) {
    return Fail(ErrorCode::kFailedPrecondition,
                "jobs do not run in images on the target " + context.options.profile.name,
                "choose a cluster with --target");
  }
  KINETIC_ASSIGN_OR_RETURN(auto environment, InspectEnvironment(context, spec, stop));
  KINETIC_RETURN_IF_ERROR(FindJobLock(context, environment, stop));
  std::optional<JobDockerfile> own;
  if (HasDockerfile(spec)) {
    KINETIC_ASSIGN_OR_RETURN(own, ReadJobDockerfile(context, spec, *environment.base, stop));
  }
  ImageInspection inspection(context, environment, std::move(own));
  KINETIC_RETURN_IF_ERROR(inspection.Run(stop));
  ImageExplanation explanation = inspection.ToExplanation();
  KINETIC_ASSIGN_OR_RETURN(explanation.environment,
                           DescribeEnvironment(context, spec.name, environment, std::move(stop)));
  return explanation;
}

}  // namespace kinetic::job
