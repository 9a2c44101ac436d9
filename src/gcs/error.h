#pragma once

#include "kinetic/error.h"

#include "http/transport.h"

namespace kinetic::gcs {

/// What a refusal of Cloud Storage means: the one map from its statuses to ours.
///
/// 400 kInvalidArgument · 401 kUnauthenticated · 403 kPermissionDenied (the account and the
/// permission, as the server says them, and the command that grants it) · 404, 410 kNotFound · 409
/// kAlreadyExists · 412 kFailedPrecondition · 413, 429 kResourceExhausted · 416 kInvalidArgument ·
/// 408, 5xx kUnavailable.
///
/// @source https://cloud.google.com/storage/docs/json_api/v1/status-codes
Error ErrorOf(const http::Request& request, const http::Response& response);

/// Whether a 404 is about the bucket and not about an object in it.
bool BucketIsMissing(const http::Response& response);

/// Whether a 400 says that the content has another checksum than was declared.
bool ContentIsDamaged(const http::Response& response);

}  // namespace kinetic::gcs
