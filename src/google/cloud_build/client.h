#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/time/clock.h"
#include "google/cloud_build/build.h"
#include "http/retry.h"
#include "http/transport.h"
#include "http/url.h"

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::google {

inline constexpr const char* kCloudBuildApi = "https://cloudbuild.googleapis.com";

struct CloudBuildOptions {
  std::string project;
  std::string region = "global";
  std::string endpoint = kCloudBuildApi;
  http::RetryPolicy retry{.max_attempts = 8};
};

/// A client of Cloud Build for one project and region.
///
/// @errors   of every call: those of http::Transport::Stream and of google::ToError.
/// @threads  safe to call concurrently.
class CloudBuild {
 public:
  /// @param transport  adds the credential; like `clock`, must outlive the client.
  CloudBuild(http::Transport& transport, Clock& clock, CloudBuildOptions options);

  /// Creates a build. The API has no request ids, so a tag identifies a build whose response was
  /// lost. A transport that retries by itself may create two builds.
  ///
  /// @param call_tag  unique for this call: NewCallTag().
  Result<Build> Create(const BuildConfig& config, const std::string& call_tag,
                       std::stop_token stop) const;
  static std::string NewCallTag();

  Result<Build> Get(const std::string& id, std::stop_token stop) const;

  /// Returns the unfinished builds with a tag, oldest first, in the same order for every client.
  Result<std::vector<Build>> ListOngoing(const std::string& tag, std::stop_token stop) const;

  /// Cancels a build. Has no effect if it has finished.
  Status Cancel(const std::string& id, std::stop_token stop) const;

 private:
  http::Url Builds() const;
  Result<Value> SendJson(const http::Request& request, std::stop_token stop) const;
  Result<std::vector<Build>> List(const std::string& tag, std::stop_token stop) const;

  http::Transport* transport_;
  Clock* clock_;
  CloudBuildOptions options_;
};

}  // namespace kinetic::google
