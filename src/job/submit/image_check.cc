#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "env/image/registry_images.h"
#include "env/python/target_platform.h"
#include "job/environment/image_registries.h"
#include "job/environment/job_environment.h"
#include "job/images/job_dockerfile.h"
#include "job/submit/checks.h"
#include "jobspec/diagnostics.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::chrono::milliseconds kImageCheckTimeout{2000};
/// How long an answer of the registry is valid, and how long the absence of one.
constexpr std::chrono::hours kAnswerLifetime{24 * 30};
constexpr std::chrono::hours kNoAnswerLifetime{1};
constexpr std::string_view kImageKey = "image";

/// The time until which the check of an image is valid, by image name and machine type.
class ImageCheckCache {
 public:
  ImageCheckCache(const Context& context, const std::string& name, const std::string& platform)
      : context_(context),
        file_(context.options.cache_dir / kImageChecksFolder /
              Sha256::Of(name + "\n" + platform).Hex()) {}

  bool IsFresh() const {
    constexpr std::uint64_t kMaxBytes = 32;
    const auto text = ReadFile(context_.fs, file_, kMaxBytes);
    const auto until = text ? ParseInt(*text) : std::nullopt;
    return until && Now() < std::chrono::seconds(*until);
  }

  /// Write errors are ignored, because a missing entry only makes the next check slower.
  void Keep(std::chrono::hours patience) const {
    Status kept = MakeDirectories(context_.fs, file_.parent_path());
    if (kept) {
      kept = WriteFileAtomically(context_.fs, file_, std::to_string((Now() + patience).count()));
    }
    if (!kept) context_.Log(LogLevel::kDebug, kept.error().message);
  }

 private:
  std::chrono::seconds Now() const {
    return std::chrono::duration_cast<std::chrono::seconds>(
        context_.clock.Now().time_since_epoch());
  }

  const Context& context_;
  const Path file_;
};

Status CheckInRegistry(const Context& context, const env::ImageName& name,
                       const backend::BaseImage& base, const std::stop_token& stop) {
  ImageRegistries registries(context);
  const auto platform = env::TargetPlatform::For(base.python, base.platform);
  KINETIC_RETURN_IF_ERROR(platform);
  const auto repository = registries.OpenToRead(name.repository);
  if (!repository) return Fail(ErrorCode::kUnavailable, repository.error().message);
  KINETIC_RETURN_IF_ERROR(
      oci::ReadRegistryImage(**repository, name.manifest, platform->Architecture(), stop));
  return {};
}

}  // namespace

Status CheckNamedImage(const Context& context, const JobSpec& spec, Observer* observer,
                       std::stop_token stop) {
  const auto base = BaseImageOf(context, spec);
  if (!base || !base->is_given || HasDockerfile(spec)) return {};
  const auto name = env::ParseImageName(base->image);
  const std::string place = jobspec::KeyWithPosition(spec, kImageKey);
  if (!name) return Failure(Error(name.error()).Context(place));
  const ImageCheckCache cache(context, base->image, base->platform);
  if (cache.IsFresh()) return {};
  const Deadline deadline(kImageCheckTimeout, stop);
  const Status asked = CheckInRegistry(context, *name, *base, deadline.token());
  if (asked) {
    cache.Keep(kAnswerLifetime);
    return {};
  }
  const Error& error = asked.error();
  if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, error.message);
  if (error.code == ErrorCode::kFailedPrecondition) {
    return Failure(Error(error).Context(place));
  }
  if (error.code == ErrorCode::kNotFound && observer != nullptr) {
    observer->OnWarning(error.message +
                        "; the job waits until the image exists, unless the node has it");
    return {};
  }
  context.Log(LogLevel::kDebug, "the image " + base->image + " was not checked: " +
                                    (deadline.expired() ? "no response in time" : error.message));
  cache.Keep(kNoAnswerLifetime);
  return {};
}

}  // namespace kinetic::job
