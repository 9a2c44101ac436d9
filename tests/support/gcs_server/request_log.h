#pragma once

#include "http/headers.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace kinetic::gcs_server {

/// One request as it was seen.
struct LoggedRequest {
  std::uint64_t index = 0;
  std::string method;
  std::string target;
  http::Headers headers;         ///< but for Authorization
  bool authorized = false;       ///< it bore one
  std::uint64_t body_bytes = 0;  ///< that arrived
  int status = 0;                ///< 0: no answer was sent
  std::string fault;             ///< what was done to it; empty: nothing
  std::uint64_t connection = 0;  ///< the n-th of the server, from 0
};

/// The last requests, oldest first.
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
