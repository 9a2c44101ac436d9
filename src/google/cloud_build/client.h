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

/// Where builds run, and how they are asked for.
struct CloudBuildOptions {
  std::string project;
  std::string region = "global";
  std::string endpoint = kCloudBuildApi;  ///< or what stands in for it
  http::RetryPolicy retry;
};

/// Cloud Build, for one project and region.
///
/// @errors   of every call: those of http::Transport::Stream and of google::ErrorFrom.
/// @threads  safe to call concurrently.
class CloudBuild {
 public:
  /// Transport, which shows the credential, and clock outlive it.
  CloudBuild(http::Transport& transport, Clock& clock, CloudBuildOptions options);

  /// Begins a build, whatever becomes of requests and answers: the service knows no request by an
  /// id, and a tag tells whether a lost one took effect. There may be two where a transport sends
  /// again by itself.
  ///
  /// @param mark  that tag, of this call's own: NewMark().
  Result<Build> Create(const BuildOrder& order, const std::string& mark,
                       std::stop_token stop) const;
  static std::string NewMark();

  Result<Build> Get(const std::string& id, std::stop_token stop) const;

  /// Those with a tag that have not ended, the oldest first: each client sees them in one order.
  Result<std::vector<Build>> Ongoing(const std::string& tag, std::stop_token stop) const;

  /// Ends a build. One that has ended stays as it is.
  Status Cancel(const std::string& id, std::stop_token stop) const;

 private:
  http::Url Builds() const;
  Result<Value> Ask(const http::Request& request, std::stop_token stop) const;
  Result<std::vector<Build>> List(const std::string& tag, std::stop_token stop) const;

  http::Transport* transport_;
  Clock* clock_;
  CloudBuildOptions options_;
};

}  // namespace kinetic::google
