#include "support/gcs_server/request_log.h"

namespace kinetic::gcs_server {
namespace {

constexpr std::size_t kKept = 20'000;

}  // namespace

void RequestLog::Add(LoggedRequest request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(std::move(request));
  if (requests_.size() > kKept) requests_.pop_front();
}

std::vector<LoggedRequest> RequestLog::All() const {
  const std::lock_guard lock(mutex_);
  return {requests_.begin(), requests_.end()};
}

void RequestLog::Clear() {
  const std::lock_guard lock(mutex_);
  requests_.clear();
}

nlohmann::json ToJson(const LoggedRequest& request) {
  nlohmann::json headers = nlohmann::json::array();
  for (const auto& [name, value] : request.headers) headers.push_back({name, value});
  return {{"index", request.index},           {"method", request.method},
          {"target", request.target},         {"headers", headers},
          {"authorized", request.authorized}, {"bodyBytes", request.body_bytes},
          {"status", request.status},         {"fault", request.fault},
          {"connection", request.connection}};
}

}  // namespace kinetic::gcs_server
