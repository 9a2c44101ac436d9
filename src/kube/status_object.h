#pragma once

#include "kinetic/value.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::kube {

/// What a Status object of the API says; empty where an answer holds none.
struct StatusObject {
  int code = 0;
  std::string reason;  ///< "AlreadyExists"
  std::string message;
  std::string kind;  ///< details: of what it is about, "jobs"
  std::string name;
  std::vector<std::pair<std::string, std::string>> causes;  ///< reason, "field: message"
  std::optional<std::chrono::seconds> retry_after;
  std::string next;  ///< metadata.continue
};

/// @param body  of an answer that is no 2xx. Proxies and the server's own mux answer with plain
///              text, which becomes the message.
StatusObject StatusFrom(int code, std::string_view body);
StatusObject StatusFrom(const Value& object);

/// Whether `words` occur in the message.
inline bool MessageContains(const StatusObject& status, std::string_view words) {
  return status.message.find(words) != std::string::npos;
}

/// Whether a 404 says that the cluster does not serve this kind at all.
bool ApiIsMissing(const StatusObject& status);

}  // namespace kinetic::kube
