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

/// The operation that an error message names: "creating job kinetic-x in namespace ml".
struct Operation {
  std::string_view verb;   ///< the RBAC verb: "create", "list", "watch"
  std::string_view doing;  ///< "creating"
  Resource resource;
  std::string name_space = {};
  std::string name = {};
  std::string_view subresource = {};  ///< "log"

  std::string Text() const;
};

/// The fields of the API's Status object. Fields that a response lacks are empty.
struct StatusObject {
  int code = 0;
  std::string reason;  ///< "AlreadyExists"
  std::string message;
  std::string kind;  ///< the kind in its details: "jobs"
  std::string name;
  std::vector<std::pair<std::string, std::string>> causes;  ///< reason, "field: message"
  std::optional<std::chrono::seconds> retry_after;
  std::string next;  ///< metadata.continue
};

/// Parses the body of an error response. Plain text, as from proxies and the server's request
/// router, becomes the message.
StatusObject ParseStatus(int code, std::string_view body);
StatusObject ParseStatus(const Value& object);

inline bool MessageContains(const StatusObject& status, std::string_view text) {
  return status.message.find(text) != std::string::npos;
}

/// Returns whether a 404 means that the cluster does not serve this kind of object.
bool IsUnservedResource(const StatusObject& status);

/// Converts an error response of an API server to an error.
///
/// 400, 422 kInvalidArgument · 401 kUnauthenticated · 403 kPermissionDenied (RBAC: the hint is the
/// command that grants the permission), kResourceExhausted (quota), kFailedPrecondition (admission:
/// Pod Security, a webhook, a terminating namespace) · 404 kNotFound, kUnimplemented (the kind is
/// not served) · 409 kAlreadyExists, kAborted (Conflict) · 410 kAborted · 413 kInvalidArgument ·
/// 429 kResourceExhausted · 408, 5xx kUnavailable.
///
/// The error's details are "status", "reason", "verb", "resource", "namespace", "name", "account"
/// and one "cause" for each cause, as far as they are known.
///
/// @source https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/types.go
Error ToError(const Operation& operation, const StatusObject& status);
Error ToError(const Operation& operation, const http::Response& response);

}  // namespace kinetic::kube
