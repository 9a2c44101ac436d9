#pragma once

#include "kinetic/error.h"

#include "http/transport.h"

#include <cstdint>
#include <string_view>

namespace kinetic::google {

/// A Google service, for error hints.
struct Service {
  std::string_view name;             ///< "container.googleapis.com"
  std::string_view permission_hint;  ///< the hint for a 403 without details
};

/// Details of an error about a disabled service: the service, and the project that lacks it, if the
/// response has it: "projects/123".
inline constexpr std::string_view kDisabledService = "disabled_service";
inline constexpr std::string_view kDisabledIn = "disabled_in";
/// The reason of ErrorInfo if the caller may not let requests count for the quota project.
inline constexpr std::string_view kQuotaProjectDenied = "USER_PROJECT_DENIED";

/// Returns a detail of an error, or "".
std::string_view DetailOf(const Error& error, std::string_view key);

/// Returns the code of an HTTP status: 403 is kPermissionDenied, unlisted ones are kUnavailable.
ErrorCode CodeOfStatus(std::int64_t status);

/// Converts an error response of a Google service other than Cloud Storage to an error.
///
/// 400 kInvalidArgument, kFailedPrecondition (its status), kResourceExhausted (the project has no
/// quota in the region) · 401 kUnauthenticated · 403 kPermissionDenied (the hint has the missing
/// role, or the service to enable) · 404 kNotFound · 409 kAlreadyExists · 429 kResourceExhausted ·
/// others kUnavailable.
///
/// 404 without an error document, such as that of a proxy, is kUnavailable.
///
/// @source https://cloud.google.com/apis/design/errors
Error ToError(const Service& service, const http::Request& request, const http::Response& response);

}  // namespace kinetic::google
