#pragma once

#include "kinetic/error.h"
#include "kinetic/result.h"

#include "gcs/client.h"
#include "gcs/object.h"
#include "http/retry.h"
#include "http/transport.h"
#include "http/url.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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

/// How often what may be asked twice is asked for when what arrives is damaged.
inline constexpr int kReadsOfDamaged = 3;

/// The object in an answer of 2xx; nothing for the status `absent`.
///
/// @errors  kDataLoss (an answer that is none) · those of ErrorOf for any other status.
Result<std::optional<Object>> ObjectUnless(int absent, const http::Request& request,
                                           const http::Response& response);

/// The resource sent with content. @param name  empty: not part of it.
Value ResourceOf(const std::string& name, const InsertOptions& options);

void AddConditions(http::Url& url, const Conditions& conditions);

/// A write may be sent twice when its precondition can hold only once.
http::Idempotency IdempotencyOf(const Conditions& conditions);

/// The most calls of one batch.
inline constexpr std::size_t kBatchCalls = 100;

/// Many requests in one.
///
/// @param url    of the batch endpoint.
/// @param calls  without bodies; their addresses are paths, and what authorises the batch
///               authorises them.
/// @source       https://cloud.google.com/storage/docs/batch
http::Request BatchRequest(std::string url, const std::vector<http::Request>& calls);

/// The answers in a batch's answer, in order of the calls; nothing for a call without one. They
/// have status and body, and no header fields.
std::vector<std::optional<http::Response>> BatchAnswers(const http::Response& response,
                                                        std::size_t calls);

}  // namespace kinetic::gcs
