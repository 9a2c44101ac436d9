#pragma once

#include "kinetic/error.h"
#include "kinetic/value.h"

#include "http/transport.h"
#include "kube/resource.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::kube {

/// What was being done, for messages: "creating job kinetic-x in namespace ml".
struct Operation {
  std::string_view verb;   ///< as a rule of access names it: "create", "list", "watch"
  std::string_view doing;  ///< "creating"
  Resource resource;
  std::string name_space = {};
  std::string name = {};
  std::string_view subresource = {};  ///< "log"

  std::string Text() const;
};

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

/// What a refusal of an API server means: the one map from its Status objects to ours.
///
/// 400, 422 kInvalidArgument · 401 kUnauthenticated · 403 kPermissionDenied (RBAC: the hint is the
/// rule that grants it), kResourceExhausted (quota), kFailedPrecondition (admission: Pod Security,
/// a webhook, a namespace that is being removed) · 404 kNotFound, kUnimplemented when the kind is
/// not served · 409 kAlreadyExists, kAborted (Conflict) · 410 kAborted · 413 kInvalidArgument · 429
/// kResourceExhausted · 408, 5xx kUnavailable.
///
/// The details "status", "reason", "verb", "resource", "namespace", "name", "account" and, once for
/// each, "cause" are there where they are known.
///
/// @source https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/types.go
Error ErrorOf(const Operation& operation, const StatusObject& status);
Error ErrorOf(const Operation& operation, const http::Response& response);

}  // namespace kinetic::kube
