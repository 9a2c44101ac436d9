#pragma once

#include "http/headers.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace kinetic::gcs_server {

/// A recorded request.
struct LoggedRequest {
  std::uint64_t index = 0;
  std::string method;
  std::string target;
  http::Headers headers;         ///< except Authorization
  bool authorized = false;       ///< whether it had Authorization
  std::uint64_t body_bytes = 0;  ///< received bytes
  int status = 0;                ///< 0: no response was sent
  std::string fault;             ///< injected fault; empty: none
  std::uint64_t connection = 0;  ///< number of the request, from 0
};

/// The most recent requests, oldest first.
///
/// @threads  safe to call concurrently.
class RequestLog {
 public:
  void Add(LoggedRequest request);
  std::vector<LoggedRequest> All() const;
  void Clear();

 private:
  mutable std::mutex mutex_;
  std::deque<LoggedRequest> requests_;
};

nlohmann::json ToJson(const LoggedRequest& request);

}  // namespace kinetic::gcs_server
