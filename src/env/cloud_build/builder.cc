#include "env/cloud_build/builder.h"

#include "base/hash/digest.h"
#include "base/strings.h"
#include "base/try.h"
#include "env/cloud_build/log.h"
#include "env/cloud_build/outcome.h"
#include "env/cloud_build/source.h"
#include "env/image/base_python.h"
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

/// How often builds of others may be cancelled while they are followed.
constexpr int kFollowed = 3;

/// A build that is to be cancelled is not waited for long: who wants that wants to be gone.
constexpr http::RetryPolicy kLeaving{
    .max_attempts = 3, .cap = milliseconds{2'000}, .budget = milliseconds{10'000}};

/// How long to wait before the next look: longer each time, but when something has happened.
class Pace {
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

/// "projects/p/serviceAccounts/EMAIL"
std::string AccountName(const CloudBuilderOptions& options) {
  const std::string& account = options.service_account;
  if (account.empty() || account.starts_with("projects/")) return account;
  return fmt::format("projects/{}/serviceAccounts/{}", options.service.project, account);
}

google::BuildStep DockerStep(const ImageOrder& order) {
  std::vector<std::string> arguments{"build", "--progress=plain", "--platform=" + order.platform,
                                     "--tag=" + order.reference,
                                     "--file=" + std::string(kArchiveDockerfile)};
  for (const auto& [name, value] : order.labels) {
    arguments.push_back("--label=" + name + "=" + value);
  }
  arguments.emplace_back(kArchiveContext);
  // Without BuildKit there is no RUN --mount.
  return {"build", "gcr.io/cloud-builders/docker", std::move(arguments), {"DOCKER_BUILDKIT=1"}};
}

/// What those have in common that follow one build.
std::string TagOf(const google::BuildOrder& order) {
  constexpr std::size_t kDigits = 32;
  Sha256 hash;
  for (const auto* const part : {&order.source_bucket, &order.source_object, &order.logs}) {
    hash.Update(*part + "\n");
  }
  for (const auto& step : order.steps) hash.Update(Join(step.arguments, "\n"));
  return "kinetic-" + hash.Finish().Hex().substr(0, kDigits);
}

/// One image while it is made.
class ImageOnCloudBuild {
 public:
  ImageOnCloudBuild(const CloudBuilderOptions& options, http::Transport& transport,
                    Observer* observer, std::stop_token stop)
      : options_(options),
        service_(transport, *options.tools.clock, options.service),
        leaving_(transport, *options.tools.clock, Hasty(options.service)),
        observer_(observer),
        stop_(std::move(stop)) {}

  Status Run(const google::BuildOrder& order) {
    const std::string tag = TagOf(order);
    for (int attempt = 1;; ++attempt) {
      auto begun = Begin(order, tag);
      if (!begun)
        return Failure(std::move(begun).error().Context("asking Cloud Build for an image"));
      google::Build build = *std::move(begun);
      CloudLog log(options_.store, record::BuildLogName(build.id), observer_);
      if (auto ended = AwaitEnd(build, log); !ended) {
        return Failure(std::move(ended).error().Context("following build " + build.id));
      }
      const bool was_taken_away = build.status == google::BuildStatus::kCancelled && own_.empty();
      if (was_taken_away && attempt < kFollowed) continue;
      Forget();
      return OutcomeOf(build, order.images.front(), log.LastLines());
    }
  }

  /// Ends the build that Run began and has left running, also one of which it does not know yet.
  void CancelOwn() {
    if (!own_.empty()) return Cancel(own_);
    if (mark_.empty()) return;
    const auto begun = leaving_.Ongoing(mark_, {});
    if (!begun) return;
    for (const google::Build& build : *begun) Cancel(build.id);
  }

 private:
  static google::CloudBuildOptions Hasty(google::CloudBuildOptions service) {
    service.retry = kLeaving;
    return service;
  }

  void Cancel(const std::string& id) {
    const auto cancelled = leaving_.Cancel(id, {});
    if (cancelled || observer_ == nullptr) return;
    observer_->OnWarning("build " + id + " runs on: " + cancelled.error().message);
  }

  void Forget() {
    mark_.clear();
    own_.clear();
  }

  /// A build that makes this image: one that somebody has begun, or one of our own.
  Result<google::Build> Begin(const google::BuildOrder& order, const std::string& tag) {
    KINETIC_ASSIGN_OR_RETURN(auto ongoing, service_.Ongoing(tag, stop_));
    if (!ongoing.empty()) return Followed(std::move(ongoing.front()));
    mark_ = google::CloudBuild::NewMark();
    google::BuildOrder tagged = order;
    tagged.tags.push_back(tag);
    KINETIC_ASSIGN_OR_RETURN(google::Build build, service_.Create(tagged, mark_, stop_));
    own_ = build.id;
    KINETIC_ASSIGN_OR_RETURN(ongoing, service_.Ongoing(tag, stop_));
    return OneOf(std::move(ongoing), std::move(build));
  }

  /// The one that all follow: of several that were begun at the same time, everybody sees the same
  /// one first. Our own may be two: who has a connection that was used before may send a request
  /// again by himself.
  google::Build OneOf(std::vector<google::Build> ongoing, google::Build begun) {
    const auto is_ours = [&](const google::Build& build) {
      return std::ranges::find(build.tags, mark_) != build.tags.end();
    };
    for (std::size_t i = 1; i < ongoing.size(); ++i) {
      if (is_ours(ongoing[i])) Cancel(ongoing[i].id);
    }
    const bool is_other = !ongoing.empty() && !is_ours(ongoing.front());
    google::Build build = ongoing.empty() ? std::move(begun) : std::move(ongoing.front());
    if (!is_other) {
      own_ = build.id;
      Say("build " + build.id, build);
      return build;
    }
    Forget();
    return Followed(std::move(build));
  }

  google::Build Followed(google::Build build) {
    Say("build " + build.id + ", which somebody else has begun", build);
    return build;
  }

  void Say(const std::string& what, const google::Build& build) {
    if (observer_ == nullptr) return;
    observer_->OnOutput(Phase::kBuild,
                        Printable(build.log_url.empty() ? what : what + ": " + build.log_url));
  }

  Status AwaitEnd(google::Build& build, CloudLog& log) {
    for (Pace pace;;) {
      // Of a build that has ended, all is in the log.
      KINETIC_ASSIGN_OR_RETURN(build, service_.Get(build.id, stop_));
      KINETIC_ASSIGN_OR_RETURN(const bool news, log.Read(stop_));
      if (google::HasEnded(build.status)) return {};
      KINETIC_RETURN_IF_ERROR(options_.tools.clock->Sleep(pace.Next(news), stop_));
    }
  }

  const CloudBuilderOptions& options_;
  const google::CloudBuild service_;
  const google::CloudBuild leaving_;
  Observer* observer_;
  std::stop_token stop_;
  std::string mark_;  ///< of the call that begins it; empty: there was none
  std::string own_;   ///< the build that this client began
};

class CloudBuilder final : public DockerfileBuilder {
 public:
  explicit CloudBuilder(CloudBuilderOptions options) : options_(std::move(options)) {}

  Status Build(const ImageOrder& order, Observer* observer, std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const auto place,
                             store::ParseBucketLocation(options_.store.Location()));
    KINETIC_ASSIGN_OR_RETURN(const auto transport, options_.connect(stop));
    KINETIC_ASSIGN_OR_RETURN(const CloudSource source, StoreSource(order, stop));
    ImageOnCloudBuild image(options_, *transport, observer, stop);
    auto done = image.Run(OrderOf(order, source, place));
    if (!done && done.error().code == ErrorCode::kCancelled) image.CancelOwn();
    return done;
  }

 private:
  Result<CloudSource> StoreSource(const ImageOrder& order, const std::stop_token& stop) {
    FileSystem& fs = *options_.tools.fs;
    KINETIC_ASSIGN_OR_RETURN(
        const TempDir scratch,
        oci::MakeScratchFolder(fs, *options_.tools.clock,
                               options_.tools.cache_dir / kImageScratchFolder));
    return StoreCloudSource(fs, order, options_.store, scratch.path(), stop);
  }

  google::BuildOrder OrderOf(const ImageOrder& order, const CloudSource& source,
                             const store::BucketLocation& place) const {
    google::BuildOrder build;
    build.source_bucket = place.bucket;
    build.source_object = place.prefix + source.name;
    build.source_generation = source.generation;
    build.steps = {DockerStep(order)};
    build.images = {order.reference};
    build.tags = {"kinetic"};
    build.logs = fmt::format("gs://{}/{}{}", place.bucket, place.prefix, record::kBuildLogFolder);
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
