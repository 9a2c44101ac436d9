#pragma once

#include "kinetic/error.h"

#include "http/transport.h"

#include <string_view>

namespace kinetic::google {

/// One of Google's services, for what its refusals lead to.
struct Service {
  std::string_view name;    ///< "container.googleapis.com"
  std::string_view denied;  ///< what to do about a 403 that says no more
};

/// What a refusal of one of Google's services means, Cloud Storage apart: the one map from their
/// statuses to ours.
///
/// 400 kInvalidArgument, or kFailedPrecondition where it says so, or kResourceExhausted (a region
/// in which the project has no quota) · 401 kUnauthenticated · 403 kPermissionDenied (a service
/// that is not enabled, or whom to ask for which role) · 404 kNotFound · 409 kAlreadyExists · 429
/// kResourceExhausted · all else kUnavailable.
///
/// @source https://cloud.google.com/apis/design/errors
Error ErrorFrom(const Service& service, const http::Request& request,
                const http::Response& response);

}  // namespace kinetic::google
