#pragma once

#include "kinetic/error.h"

#include "http/transport.h"

#include <string_view>

namespace kinetic::google {

/// A Google service, for error hints.
struct Service {
  std::string_view name;             ///< "container.googleapis.com"
  std::string_view permission_hint;  ///< the hint for a 403 without details
};

/// Converts an error response of a Google service other than Cloud Storage to an error.
///
/// 400 kInvalidArgument, kFailedPrecondition (its status), kResourceExhausted (the project has no
/// quota in the region) · 401 kUnauthenticated · 403 kPermissionDenied (the hint has the missing
/// role, or the service to enable) · 404 kNotFound · 409 kAlreadyExists · 429 kResourceExhausted ·
/// others kUnavailable.
///
/// @source https://cloud.google.com/apis/design/errors
Error ToError(const Service& service, const http::Request& request, const http::Response& response);

}  // namespace kinetic::google
