#include "job/images/job_dockerfile.h"

#include "base/strings.h"
#include "base/try.h"
#include "bundle/source/root.h"
#include "env/dockerfile/build_context.h"
#include "env/dockerfile/usage.h"
#include "env/image/stored_image.h"
#include "env/pep/target_platform.h"
#include "job/bundle/job_bundle.h"
#include "job/environment/builder.h"
#include "job/environment/recent.h"
#include "job/images/records.h"
#include "job/images/registries.h"
#include "job/key_position.h"
#include "record/object_names.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::string_view kFileKey = "image.dockerfile";
constexpr std::string_view kContextKey = "image.context";
/// Change this value when the same files produce a different image.
constexpr std::string_view kFormat = "dockerfile 1\n";
constexpr std::string_view kTagPrefix = "dockerfile-";
constexpr std::string_view kWaiting = "another client makes the same image: waiting for it";

Failure NotThere(const JobSpec& spec, std::string_view key, const Path& path,
                 std::string_view expected) {
  return Fail(ErrorCode::kInvalidArgument,
              PlaceOf(spec, key) + std::string(key) + ": found " + Printable(path.native()) +
                  ", which is none, expected " + std::string(expected));
}

Path ContextOf(const ImageSpec& image) {
  return image.context.empty() ? image.dockerfile.parent_path() : image.context;
}

/// Computes the digest of the context. Used only for a Dockerfile that copies files.
class Copied {
 public:
  Copied(const Context& context, const JobSpec& spec, env::ImageOrder& order)
      : context_(context), spec_(spec), order_(order) {}

  Result<Digest> Hash(std::string& warning, const std::stop_token& stop) const {
    FileSystem& fs = context_.fs;
    order_.ignore_file = env::FindIgnoreFile(fs, order_.context, order_.dockerfile);
    auto entries = env::ListContext(fs, order_.context, order_.ignore_file, stop);
    if (!entries) {
      Error error = std::move(entries).error();
      const bool is_the_jobs = error.code == ErrorCode::kInvalidArgument;
      return Failure(is_the_jobs ? std::move(error).Context(PlaceOf(spec_, kFileKey) + "image")
                                 : std::move(error));
    }
    const auto is_git = [](const env::ContextEntry& entry) { return entry.path == ".git"; };
    if (std::ranges::any_of(*entries, is_git)) {
      warning =
          "image: the folder .git is part of what the image is made of, so that each commit "
          "makes another one: name it in .dockerignore";
    }
    return env::HashContext(fs, context_.clock, order_.context, *entries, Cache(), stop);
  }

 private:
  Path Cache() const {
    return context_.options.cache_dir / kStatCacheFolder /
           Sha256::Of("image\n" + order_.context.native()).Hex();
  }

  const Context& context_;
  const JobSpec& spec_;
  env::ImageOrder& order_;
};

Status CheckFolder(FileSystem& fs, const JobSpec& spec, const Path& folder) {
  const auto resolved = bundle::ResolvePath(fs, folder);
  const auto status = fs.Lstat(resolved ? *resolved : folder);
  if (status && status->type == FileType::kDirectory) return {};
  return NotThere(spec, kContextKey, folder, "a folder");
}

/// Builds an image while this client holds the lease.
class Making {
 public:
  Making(const Context& context, const OwnDockerfile& dockerfile, Observer* observer,
         const std::stop_token& stop)
      : context_(context), dockerfile_(dockerfile), observer_(observer), stop_(stop) {}

  Result<OwnImage> Run(bool anew) const {
    KINETIC_ASSIGN_OR_RETURN(const auto turn, TakeTurn());
    if (!anew) {
      KINETIC_ASSIGN_OR_RETURN(auto made, FindOwnImage(context_, dockerfile_, stop_));
      if (made) return OwnImage{*std::move(made), false};
    }
    KINETIC_RETURN_IF_ERROR(
        NoteMadeImage(context_, dockerfile_.order.reference, dockerfile_.key, stop_));
    const auto builder = DockerfileBuilderFor(context_);
    KINETIC_RETURN_IF_ERROR(builder->Build(dockerfile_.order, observer_, stop_));
    KINETIC_ASSIGN_OR_RETURN(auto image, FindOwnImage(context_, dockerfile_, stop_));
    if (image) return OwnImage{*std::move(image), true};
    return Fail(
        ErrorCode::kAborted,
        dockerfile_.order.reference + " was built and pushed, and another image is there now",
        "somebody pushes to the same tag, or what was built lost its labels");
  }

 private:
  /// Cloud Build needs no lease, because all clients find and follow the same build.
  Result<std::unique_ptr<store::AdvisoryLease>> TakeTurn() const {
    if (context_.options.profile.kubernetes.container_engine == ContainerEngine::kCloudBuild) {
      return std::unique_ptr<store::AdvisoryLease>();
    }
    store::AdvisoryLease::Client party = PartyOfThisClient();
    party.on_wait = [this] {
      if (observer_ != nullptr) observer_->OnOutput(Phase::kBuild, kWaiting);
    };
    const Digest what = Sha256::Of(dockerfile_.order.reference);
    return store::AdvisoryLease::Acquire(*context_.store, context_.clock,
                                         record::ImageLeaseName(what), party, {}, stop_);
  }

  const Context& context_;
  const OwnDockerfile& dockerfile_;
  Observer* const observer_;
  const std::stop_token& stop_;
};

/// Returns the base image, or an empty string if there is none or it is unknown.
std::string BaseOf(const OwnDockerfile& dockerfile) {
  return dockerfile.order.labels.at(std::string(env::kBaseNameLabel));
}

/// Records once a day that an image is in use.
Status NoteAgain(const Context& context, const Digest& key, KnownEnvironment likely,
                 const KnownEnvironments& known, const std::stop_token& stop) {
  if (!WantsNote(context, likely)) return {};
  KINETIC_RETURN_IF_ERROR(NoteUseOfImage(context, likely.ready.image, stop));
  likely.noted = context.clock.Now();
  known.Keep(key, likely);
  return {};
}

}  // namespace

Result<OwnDockerfile> ReadOwnDockerfile(const Context& context, const JobSpec& spec,
                                        const backend::BaseImage& base, std::stop_token stop) {
  constexpr std::size_t kShownDigits = 12;
  constexpr std::uint64_t kMaxBytes = 1U << 20;
  KINETIC_ASSIGN_OR_RETURN(const oci::Reference place, ImagePlace(context));
  KINETIC_ASSIGN_OR_RETURN(const auto machine,
                           env::TargetPlatform::For(base.python, base.platform));
  OwnDockerfile own;
  own.order.dockerfile = spec.image->dockerfile;
  own.order.context = ContextOf(*spec.image);
  own.order.platform = "linux/" + machine.Architecture();
  own.order.plain = context.options.profile.kubernetes.plain_registries;
  const auto text = ReadFile(context.fs, own.order.dockerfile, kMaxBytes);
  if (!text) return NotThere(spec, kFileKey, own.order.dockerfile, "a Dockerfile");
  KINETIC_RETURN_IF_ERROR(CheckFolder(context.fs, spec, own.order.context));
  const env::DockerfileUse use = env::UseOf(*text);
  own.order.pulled_from = use.registries;
  Sha256 hash;
  hash.Update(kFormat);
  hash.Update(own.order.platform + "\n");
  hash.Update(Sha256::Of(*text).View());
  if (use.context) {
    KINETIC_ASSIGN_OR_RETURN(const Digest copied,
                             Copied(context, spec, own.order).Hash(own.warning, stop));
    hash.Update(copied.View());
  }
  own.key = hash.Finish();
  own.order.reference =
      place.Text() + ":" + std::string(kTagPrefix) + own.key.Hex().substr(0, kShownDigits);
  // Overrides kinetic's labels of the base image, which do not apply to this image.
  own.order.labels = {{std::string(env::kImageKeyLabel), own.key.Hex()},
                      {std::string(env::kImagePythonLabel), ""},
                      {std::string(env::kImageCategoryLabel), ""},
                      {std::string(env::kImagePackagesLabel), "0"},
                      {std::string(env::kImageLockLabel), ""},
                      {std::string(env::kBaseNameLabel), use.base},
                      {std::string(env::kBaseDigestLabel), ""}};
  return own;
}

Result<std::optional<std::string>> FindOwnImage(const Context& context,
                                                const OwnDockerfile& dockerfile,
                                                std::stop_token stop) {
  const std::string& reference = dockerfile.order.reference;
  KINETIC_ASSIGN_OR_RETURN(const oci::Reference place, ImagePlace(context));
  ImageRegistries registries(context);
  KINETIC_ASSIGN_OR_RETURN(const auto* repository, registries.OpenToRead(place));
  KINETIC_ASSIGN_OR_RETURN(
      const auto stored,
      env::ReadStoredImage(*repository, env::ImageTagIn(reference), std::move(stop)));
  // The tag has only twelve digits of the key and may belong to another image. If so, the image is
  // built again under the same tag.
  if (!stored || stored->key != dockerfile.key.Hex()) return std::optional<std::string>();
  return std::optional(reference + "@" + oci::DigestString(stored->digest));
}

Result<OwnImage> MakeOwnImage(const Context& context, const OwnDockerfile& dockerfile,
                              const LockRequest& request, std::stop_token stop) {
  const bool anew = request.relock;
  const KnownEnvironments known(context);
  const auto likely = anew ? std::nullopt : known.Find(dockerfile.key);
  if (likely && !likely->ready.image.empty()) {
    KINETIC_ASSIGN_OR_RETURN(const bool there, HasImage(context, likely->ready.image, stop));
    if (there) {
      KINETIC_RETURN_IF_ERROR(NoteAgain(context, dockerfile.key, *likely, known, stop));
      return OwnImage{likely->ready.image, false};
    }
  }
  OwnImage own;
  if (!anew) {
    KINETIC_ASSIGN_OR_RETURN(auto found, FindOwnImage(context, dockerfile, stop));
    if (found) own.image = *std::move(found);
  }
  if (own.image.empty()) {
    if (request.ahead != nullptr) request.ahead->Ask(BaseOf(dockerfile));
    KINETIC_ASSIGN_OR_RETURN(own, Making(context, dockerfile, request.observer, stop).Run(anew));
  }
  KnownEnvironment kept;
  kept.ready.id = dockerfile.key.Hex();
  kept.ready.image = own.image;
  kept.noted = context.clock.Now();
  KINETIC_RETURN_IF_ERROR(NoteUseOfImage(context, own.image, std::move(stop)));
  known.Keep(dockerfile.key, kept);
  return own;
}

}  // namespace kinetic::job
