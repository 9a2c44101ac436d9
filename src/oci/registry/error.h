#pragma once

#include "kinetic/error.h"

#include "http/transport.h"

namespace kinetic::oci {

/// What a refusal of a registry means: the one map from its answers to ours.
///
/// 404 kNotFound · 401 kUnauthenticated · 403 kPermissionDenied · 408, 429, 5xx kUnavailable ·
/// another digest than was declared kDataLoss · 400 kInvalidArgument · 405 kUnimplemented · 413
/// kResourceExhausted · any other kFailedPrecondition.
///
/// @source  https://github.com/opencontainers/distribution-spec/blob/v1.1.0/spec.md#error-codes
Error ErrorOf(const http::Request& request, const http::Response& response);

/// Whether an answer has this error code: "BLOB_UPLOAD_UNKNOWN".
bool Says(const http::Response& response, std::string_view code);

}  // namespace kinetic::oci
