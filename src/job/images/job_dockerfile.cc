#include "job/images/job_dockerfile.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "bundle/source/root.h"
#include "env/dockerfile/build_context.h"
#include "env/dockerfile/builder.h"
#include "env/image/stored_image.h"
#include "env/python/target_platform.h"
#include "job/bundle/job_bundle.h"
#include "job/environment/builder.h"
#include "job/environment/image_records.h"
#include "job/environment/image_registries.h"
#include "job/environment/recent.h"
#include "jobspec/diagnostics.h"
#include "record/object_names.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::string_view kFileKey = "image.dockerfile";
constexpr std::string_view kContextKey = "image.context";
/// Change this value when the same files produce a different image.
constexpr std::string_view kHashFormat = "dockerfile 1\n";
constexpr std::string_view kTagPrefix = "dockerfile-";
constexpr std::string_view kWaiting = "waiting for another client that is building the same image";

Failure MissingPath(const JobSpec& spec, std::string_view key, const Path& path,
                    std::string_view expected) {
  return Fail(ErrorCode::kInvalidArgument, jobspec::KeyWithPosition(spec, key) + ": found " +
                                               Printable(path.native()) + ", expected " +
                                               std::string(expected));
}

Path ContextOf(const ImageSpec& image) {
  return image.context.empty() ? image.dockerfile.parent_path() : image.context;
}

/// Computes the digest of the context. Used only for a Dockerfile that copies files.
class ContextHasher {
 public:
  ContextHasher(const Context& context, const JobSpec& spec, env::ImageBuildRequest& build_request)
      : context_(context), spec_(spec), build_request_(build_request) {}

  Result<Digest> Hash(std::string& warning, const std::stop_token& stop) const {
    FileSystem& fs = context_.fs;
    build_request_.ignore_file =
        env::FindIgnoreFile(fs, build_request_.context, build_request_.dockerfile);
    auto entries = env::ListContext(fs, build_request_.context, build_request_.ignore_file, stop);
    if (!entries) {
      Error error = std::move(entries).error();
      const bool is_the_jobs = error.code == ErrorCode::kInvalidArgument;
      return Failure(is_the_jobs
                         ? std::move(error).Context(jobspec::KeyWithPosition(spec_, kFileKey))
                         : std::move(error));
    }
    const auto is_git = [](const env::ContextEntry& entry) { return entry.path == ".git"; };
    if (std::ranges::any_of(*entries, is_git)) {
      warning =
          "image: the build context contains .git, so each commit changes the image; add .git to "
          ".dockerignore";
    }
    return env::HashContext(fs, context_.clock, build_request_.context, *entries, Cache(), stop);
  }

 private:
  Path Cache() const {
    return context_.options.cache_dir / kStatCacheFolder /
           Sha256::Of("image\n" + build_request_.context.native()).Hex();
  }

  const Context& context_;
  const JobSpec& spec_;
  env::ImageBuildRequest& build_request_;
};

Status CheckFolder(FileSystem& fs, const JobSpec& spec, const Path& folder) {
  const auto resolved = bundle::ResolvePath(fs, folder);
  const auto status = fs.Lstat(resolved ? *resolved : folder);
  if (status && status->type == FileType::kDirectory) return {};
  return MissingPath(spec, kContextKey, folder, "a folder");
}

/// Builds an image while this client holds the lease.
class DockerfileBuild {
 public:
  DockerfileBuild(const Context& context, const JobDockerfile& dockerfile, Observer* observer,
                  const std::stop_token& stop)
      : context_(context), dockerfile_(dockerfile), observer_(observer), stop_(stop) {}

  Result<DockerfileImage> Run(bool rebuild) const {
    KINETIC_ASSIGN_OR_RETURN(const auto lease, AcquireLease());
    if (!rebuild) {
      KINETIC_ASSIGN_OR_RETURN(auto made, FindDockerfileImage(context_, dockerfile_, stop_));
      if (made) return DockerfileImage{*std::move(made), false};
    }
    KINETIC_RETURN_IF_ERROR(
        RecordImage(context_, dockerfile_.build_request.reference, dockerfile_.key, stop_));
    const auto builder = DockerfileBuilderFor(context_);
    KINETIC_RETURN_IF_ERROR(builder->Build(dockerfile_.build_request, observer_, stop_));
    KINETIC_ASSIGN_OR_RETURN(auto image, FindDockerfileImage(context_, dockerfile_, stop_));
    if (image) return DockerfileImage{*std::move(image), true};
    return Fail(ErrorCode::kAborted,
                dockerfile_.build_request.reference +
                    " was built and pushed, but its tag now refers to another image",
                "another client may push to the same tag, or the build removed the labels");
  }

 private:
  /// Cloud Build needs no lease, because all clients find and follow the same build.
  Result<std::unique_ptr<store::AdvisoryLease>> AcquireLease() const {
    if (context_.options.profile.kubernetes.container_engine == ContainerEngine::kCloudBuild) {
      return std::unique_ptr<store::AdvisoryLease>();
    }
    store::AdvisoryLease::Client client = LeaseClient();
    client.on_wait = [this] {
      if (observer_ != nullptr) observer_->OnOutput(Phase::kBuild, kWaiting);
    };
    const Digest what = Sha256::Of(dockerfile_.build_request.reference);
    return store::AdvisoryLease::Acquire(*context_.store, context_.clock,
                                         record::ImageLeaseName(what), client, {}, stop_);
  }

  const Context& context_;
  const JobDockerfile& dockerfile_;
  Observer* const observer_;
  const std::stop_token& stop_;
};

/// Returns the base image, or an empty string if there is none or it is unknown.
std::string BaseOf(const JobDockerfile& dockerfile) {
  return dockerfile.build_request.labels.at(std::string(env::kBaseNameLabel));
}

/// Records once a day that an image is in use.
Status RenewUseRecord(const Context& context, const Digest& key, RecentEnvironment recent,
                      const RecentEnvironments& cache, const std::stop_token& stop) {
  if (!NeedsUseRecord(context, recent)) return {};
  KINETIC_RETURN_IF_ERROR(RecordImageUse(context, recent.ready.image, stop));
  recent.use_recorded = context.clock.Now();
  cache.Keep(key, recent);
  return {};
}

}  // namespace

Result<JobDockerfile> ReadJobDockerfile(const Context& context, const JobSpec& spec,
                                        const backend::BaseImage& base, std::stop_token stop) {
  constexpr std::size_t kShownDigits = 12;
  constexpr std::uint64_t kMaxBytes = 1U << 20;
  KINETIC_ASSIGN_OR_RETURN(const oci::Reference place, ImageRepository(context));
  KINETIC_ASSIGN_OR_RETURN(const auto machine,
                           env::TargetPlatform::For(base.python, base.platform));
  JobDockerfile own;
  own.build_request.dockerfile = spec.image->dockerfile;
  own.build_request.context = ContextOf(*spec.image);
  own.build_request.platform = "linux/" + machine.Architecture();
  own.build_request.plain = context.options.profile.kubernetes.plain_registries;
  const auto text = ReadRegularFile(context.fs, own.build_request.dockerfile, kMaxBytes);
  if (!text) return MissingPath(spec, kFileKey, own.build_request.dockerfile, "a Dockerfile");
  KINETIC_RETURN_IF_ERROR(CheckFolder(context.fs, spec, own.build_request.context));
  const env::DockerfileInputs use = env::ReadDockerfileInputs(*text);
  own.build_request.pulled_from = use.registries;
  Sha256 hash;
  hash.Update(kHashFormat);
  hash.Update(own.build_request.platform + "\n");
  hash.Update(Sha256::Of(*text).View());
  if (use.context) {
    KINETIC_ASSIGN_OR_RETURN(
        const Digest copied,
        ContextHasher(context, spec, own.build_request).Hash(own.warning, stop));
    hash.Update(copied.View());
  }
  own.key = hash.Finish();
  own.build_request.reference =
      place.Text() + ":" + std::string(kTagPrefix) + own.key.Hex().substr(0, kShownDigits);
  // Overrides kinetic's labels of the base image, which do not apply to this image.
  own.build_request.labels = {{std::string(env::kImageKeyLabel), own.key.Hex()},
                              {std::string(env::kImagePythonLabel), ""},
                              {std::string(env::kImageCategoryLabel), ""},
                              {std::string(env::kImagePackagesLabel), "0"},
                              {std::string(env::kBaseNameLabel), use.base},
                              {std::string(env::kBaseDigestLabel), ""}};
  return own;
}

Result<std::optional<std::string>> FindDockerfileImage(const Context& context,
                                                       const JobDockerfile& dockerfile,
                                                       std::stop_token stop) {
  const std::string& reference = dockerfile.build_request.reference;
  KINETIC_ASSIGN_OR_RETURN(const oci::Reference place, ImageRepository(context));
  ImageRegistries registries(context);
  KINETIC_ASSIGN_OR_RETURN(const auto* repository, registries.OpenToRead(place));
  KINETIC_ASSIGN_OR_RETURN(
      const auto stored,
      env::ReadStoredImage(*repository, env::TagFromReference(reference), std::move(stop)));
  // The tag has only twelve digits of the key and may belong to another image. If so, the image is
  // built again under the same tag.
  if (!stored || stored->key != dockerfile.key.Hex()) return std::optional<std::string>();
  return std::optional(reference + "@" + oci::DigestString(stored->digest));
}

Result<DockerfileImage> BuildDockerfileImage(const Context& context,
                                             const JobDockerfile& dockerfile,
                                             const LockRequest& request, std::stop_token stop) {
  const bool rebuild = request.relock;
  const RecentEnvironments cache(context);
  const auto recent = rebuild ? std::nullopt : cache.Find(dockerfile.key);
  if (recent && !recent->ready.image.empty()) {
    KINETIC_ASSIGN_OR_RETURN(const bool there, HasImage(context, recent->ready.image, stop));
    if (there) {
      KINETIC_RETURN_IF_ERROR(RenewUseRecord(context, dockerfile.key, *recent, cache, stop));
      return DockerfileImage{recent->ready.image, false};
    }
  }
  DockerfileImage own;
  if (!rebuild) {
    KINETIC_ASSIGN_OR_RETURN(auto found, FindDockerfileImage(context, dockerfile, stop));
    if (found) own.image = *std::move(found);
  }
  if (own.image.empty()) {
    if (request.provisioning != nullptr) request.provisioning->Request(BaseOf(dockerfile));
    KINETIC_ASSIGN_OR_RETURN(
        own, DockerfileBuild(context, dockerfile, request.observer, stop).Run(rebuild));
  }
  RecentEnvironment kept;
  kept.ready.id = dockerfile.key.Hex();
  kept.ready.image = own.image;
  kept.use_recorded = context.clock.Now();
  KINETIC_RETURN_IF_ERROR(RecordImageUse(context, own.image, std::move(stop)));
  cache.Keep(dockerfile.key, kept);
  return own;
}

}  // namespace kinetic::job
