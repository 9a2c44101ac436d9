#include "env/cloud_build/builder.h"

#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/strings.h"
#include "env/cloud_build/build_io.h"
#include "env/image/registry_images.h"
#include "oci/layer/writer.h"
#include "record/object_names.h"
#include "store/bucket/location.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

using std::chrono::milliseconds;

/// Maximum number of builds to follow, if other clients cancel them.
constexpr int kMaxFollowedBuilds = 3;

/// Bounds retries while a build is cancelled.
constexpr http::RetryPolicy kCancelRetry{
    .max_attempts = 3, .cap = milliseconds{2'000}, .budget = milliseconds{10'000}};

/// Time until the next poll: grows by a quarter each time, and is reset by new log lines.
class PollInterval {
 public:
  milliseconds Next(bool news) {
    constexpr milliseconds kLongest{5'000};
    next_ = news ? kFirst : std::min(kLongest, next_ + next_ / 4);
    return next_;
  }

 private:
  static constexpr milliseconds kFirst{1'000};
  milliseconds next_ = kFirst / 2;
};

/// Returns "projects/p/serviceAccounts/EMAIL".
std::string AccountName(const CloudBuilderOptions& options) {
  const std::string& account = options.service_account;
  if (account.empty() || account.starts_with("projects/")) return account;
  return fmt::format("projects/{}/serviceAccounts/{}", options.service.project, account);
}

google::BuildStep DockerStep(const ImageBuildRequest& request) {
  std::vector<std::string> arguments{"build", "--progress=plain", "--platform=" + request.platform,
                                     "--tag=" + request.reference,
                                     "--file=" + std::string(kArchiveDockerfile)};
  for (const auto& [name, value] : request.labels) {
    arguments.push_back("--label=" + name + "=" + value);
  }
  arguments.emplace_back(kArchiveContext);
  // Without BuildKit there is no RUN --mount.
  return {"build", "gcr.io/cloud-builders/docker", std::move(arguments), {"DOCKER_BUILDKIT=1"}};
}

/// Returns the tag of equal builds, by which clients find them.
std::string BuildTag(const google::BuildConfig& config) {
  constexpr std::size_t kDigits = 32;
  Sha256 hash;
  for (const auto* const part : {&config.source_bucket, &config.source_object, &config.logs}) {
    hash.Update(*part + "\n");
  }
  for (const auto& step : config.steps) hash.Update(Join(step.arguments, "\n"));
  return "kinetic-" + hash.Finish().Hex().substr(0, kDigits);
}

/// The build of one image.
class CloudBuildRun {
 public:
  CloudBuildRun(const CloudBuilderOptions& options, http::Transport& transport, Observer* observer,
                std::stop_token stop)
      : options_(options),
        service_(transport, *options.tools.clock, options.service),
        cancel_service_(transport, *options.tools.clock, WithCancelRetry(options.service)),
        observer_(observer),
        stop_(std::move(stop)) {}

  Status Run(const google::BuildConfig& config) {
    const std::string tag = BuildTag(config);
    for (int attempt = 1;; ++attempt) {
      auto started = StartOrFollow(config, tag);
      if (!started)
        return Failure(std::move(started).error().Context("cannot start a build in Cloud Build"));
      google::Build build = *std::move(started);
      CloudBuildLog log(options_.store, record::BuildLogName(build.id), observer_);
      if (auto ended = AwaitEnd(build, log); !ended) {
        return Failure(std::move(ended).error().Context("cannot follow build " + build.id));
      }
      const bool cancelled_by_other =
          build.status == google::BuildStatus::kCancelled && own_.empty();
      if (cancelled_by_other && attempt < kMaxFollowedBuilds) continue;
      ReleaseBuild();
      return CloudBuildStatus(build, config.images.front(), log.LastLines());
    }
  }

  /// Cancels the build that Run started, including one whose creation was not confirmed.
  void CancelOwn() {
    if (!own_.empty()) return Cancel(own_);
    if (mark_.empty()) return;
    const auto started = cancel_service_.ListOngoing(mark_, {});
    if (!started) return;
    for (const google::Build& build : *started) Cancel(build.id);
  }

 private:
  static google::CloudBuildOptions WithCancelRetry(google::CloudBuildOptions service) {
    service.retry = kCancelRetry;
    return service;
  }

  void Cancel(const std::string& id) {
    const auto cancelled = cancel_service_.Cancel(id, {});
    if (cancelled || observer_ == nullptr) return;
    observer_->OnWarning("cannot cancel build " + id + ": " + cancelled.error().message);
  }

  void ReleaseBuild() {
    mark_.clear();
    own_.clear();
  }

  /// Returns a build of this image: a running build, or a new one.
  Result<google::Build> StartOrFollow(const google::BuildConfig& config, const std::string& tag) {
    KINETIC_ASSIGN_OR_RETURN(auto ongoing, service_.ListOngoing(tag, stop_));
    if (!ongoing.empty()) return Follow(std::move(ongoing.front()));
    mark_ = google::CloudBuild::NewCallTag();
    google::BuildConfig tagged = config;
    tagged.tags.push_back(tag);
    KINETIC_ASSIGN_OR_RETURN(google::Build build, service_.Create(tagged, mark_, stop_));
    own_ = build.id;
    KINETIC_ASSIGN_OR_RETURN(ongoing, service_.ListOngoing(tag, stop_));
    return ResolveDuplicates(std::move(ongoing), std::move(build));
  }

  /// Returns the first of several builds that were started concurrently; all clients see the same
  /// order. This client may have started two, because HTTP libraries resend requests on reused
  /// connections.
  google::Build ResolveDuplicates(std::vector<google::Build> ongoing, google::Build started) {
    const auto is_ours = [&](const google::Build& build) {
      return std::ranges::find(build.tags, mark_) != build.tags.end();
    };
    for (std::size_t i = 1; i < ongoing.size(); ++i) {
      if (is_ours(ongoing[i])) Cancel(ongoing[i].id);
    }
    const bool is_other = !ongoing.empty() && !is_ours(ongoing.front());
    google::Build build = ongoing.empty() ? std::move(started) : std::move(ongoing.front());
    if (!is_other) {
      own_ = build.id;
      ReportBuild("build " + build.id, build);
      return build;
    }
    ReleaseBuild();
    return Follow(std::move(build));
  }

  google::Build Follow(google::Build build) {
    ReportBuild("build " + build.id + ", started by another client", build);
    return build;
  }

  void ReportBuild(const std::string& what, const google::Build& build) {
    if (observer_ == nullptr) return;
    observer_->OnOutput(Phase::kBuild,
                        Printable(build.log_url.empty() ? what : what + ": " + build.log_url));
  }

  Status AwaitEnd(google::Build& build, CloudBuildLog& log) {
    for (PollInterval interval;;) {
      // The status is read first: the log of a finished build is complete.
      KINETIC_ASSIGN_OR_RETURN(build, service_.Get(build.id, stop_));
      KINETIC_ASSIGN_OR_RETURN(const bool news, log.Read(stop_));
      if (google::IsTerminal(build.status)) return {};
      KINETIC_RETURN_IF_ERROR(options_.tools.clock->Sleep(interval.Next(news), stop_));
    }
  }

  const CloudBuilderOptions& options_;
  const google::CloudBuild service_;
  const google::CloudBuild cancel_service_;
  Observer* observer_;
  std::stop_token stop_;
  std::string mark_;  ///< tag of the create call; empty: none was sent
  std::string own_;   ///< id of the build that this client started
};

class CloudBuilder final : public DockerfileBuilder {
 public:
  explicit CloudBuilder(CloudBuilderOptions options) : options_(std::move(options)) {}

  Status Build(const ImageBuildRequest& request, Observer* observer,
               std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const auto location,
                             store::ParseBucketLocation(options_.store.Location()));
    KINETIC_ASSIGN_OR_RETURN(const auto transport, options_.connect(stop));
    KINETIC_ASSIGN_OR_RETURN(const BuildSource source, StoreBuildSource(request, stop));
    CloudBuildRun image(options_, *transport, observer, stop);
    auto status = image.Run(MakeBuildConfig(request, source, location));
    if (!status && status.error().code == ErrorCode::kCancelled) image.CancelOwn();
    return status;
  }

 private:
  Result<BuildSource> StoreBuildSource(const ImageBuildRequest& request,
                                       const std::stop_token& stop) {
    FileSystem& fs = *options_.tools.fs;
    KINETIC_ASSIGN_OR_RETURN(
        const TempDir scratch,
        oci::MakeScratchFolder(fs, *options_.tools.clock,
                               options_.tools.cache_dir / kImageScratchFolder));
    return UploadBuildSource(fs, request, options_.store, scratch.path(), stop);
  }

  google::BuildConfig MakeBuildConfig(const ImageBuildRequest& request, const BuildSource& source,
                                      const store::BucketLocation& location) const {
    google::BuildConfig build;
    build.source_bucket = location.bucket;
    build.source_object = location.prefix + source.name;
    build.source_generation = source.generation;
    build.steps = {DockerStep(request)};
    build.images = {request.reference};
    build.tags = {"kinetic"};
    build.logs =
        fmt::format("gs://{}/{}{}", location.bucket, location.prefix, record::kBuildLogFolder);
    build.machine = options_.machine;
    build.service_account = AccountName(options_);
    build.timeout = options_.timeout;
    return build;
  }

  const CloudBuilderOptions options_;
};

}  // namespace

std::unique_ptr<DockerfileBuilder> MakeCloudBuilder(CloudBuilderOptions options) {
  return std::make_unique<CloudBuilder>(std::move(options));
}

}  // namespace kinetic::env
