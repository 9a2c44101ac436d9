#pragma once

#include "http/retry.h"

#include <chrono>
#include <string>

namespace kinetic::gcs {

class SessionKeeper;

/// How to reach Cloud Storage. The transport shows the credential.
struct ClientOptions {
  std::string endpoint = "https://storage.googleapis.com";
  std::string user_project;  ///< billed for requests to buckets whose reader pays; may be empty
  http::RetryPolicy retry;
  /// The longest time in which no byte of a request moves; see http::Request.
  std::chrono::milliseconds stall_timeout{60'000};
  SessionKeeper* sessions = nullptr;  ///< outlives the client; null: uploads begin anew
};

}  // namespace kinetic::gcs
