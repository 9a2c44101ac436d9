#pragma once

#include "kinetic/error.h"
#include "kinetic/result.h"

#include "gcs/object.h"
#include "http/retry.h"
#include "http/transport.h"
#include "http/url.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::gcs {

/// Maps an error response: 400, 416 kInvalidArgument · 401 kUnauthenticated · 403
/// kPermissionDenied, with account, permission and the command that grants it, or what to do about
/// the reason that the server names · 404, 410 kNotFound · 409 kAlreadyExists · 412
/// kFailedPrecondition · 413, 429 kResourceExhausted · 501 kUnimplemented · 408, other 5xx
/// kUnavailable. Also kUnavailable: an answer of a proxy or a login page, and a rate limit reported
/// as 403. A 400 about the project that pays and a permanent redirect are kFailedPrecondition.
///
/// @source https://cloud.google.com/storage/docs/json_api/v1/status-codes
Error ErrorFromResponse(const http::Request& request, const http::Response& response);

/// Returns whether a 412 reports that a precondition of the request does not hold, because another
/// client was faster. A server that names no reason is believed.
bool IsConditionNotMet(const http::Response& response);

/// Returns whether a 404 concerns the bucket, not the object.
bool IsBucketMissing(const http::Response& response);

/// Returns whether a 400 reports that the content does not match the declared checksum.
bool IsChecksumMismatch(const http::Response& response);

/// Attempts to read a response that arrives damaged.
inline constexpr int kMaxReadAttempts = 3;

/// Parses the object in a 2xx response. Returns nullopt for status `absent`.
///
/// @errors  kDataLoss: malformed · those of ErrorFromResponse for any other status.
Result<std::optional<Object>> ReadObject(int absent, const http::Request& request,
                                         const http::Response& response);

/// Returns the resource to send with content. An empty `name` is omitted.
Value ObjectResource(const std::string& name, const InsertOptions& options);

void AddPreconditions(http::Url& url, const Preconditions& preconditions);

/// A write with a precondition may be sent twice, because the precondition holds only once.
http::Idempotency IdempotencyOf(const Preconditions& preconditions);

inline constexpr std::size_t kMaxBatchCalls = 100;

/// Combines requests into one.
///
/// @param url    of the batch endpoint.
/// @param calls  without bodies and credentials; their URLs are paths.
/// @source       https://cloud.google.com/storage/docs/batch
http::Request BatchRequest(std::string url, const std::vector<http::Request>& calls);

/// Returns the responses in a batch response in order of the calls, nullopt for missing ones. They
/// have status and body, but no headers.
std::vector<std::optional<http::Response>> ParseBatchResponse(const http::Response& response,
                                                              std::size_t calls);

/// Returns the target of a redirect. Status 308 without one is the state of an upload session.
std::optional<std::string> RedirectTarget(const http::Response& response);

/// Returns whether the body is an HTML page, which a proxy or a login page sends instead of Cloud
/// Storage.
bool IsHtml(const http::Response& response);

/// Returns the title of an HTML page, or an empty string.
std::string HtmlTitle(std::string_view html);

/// Passes on requests, and turns answers that RetryingClient would not recognize as transient into
/// errors: pages of proxies with status 200, redirects to login pages, and a rate limit that is
/// reported as 403.
///
/// @errors  those of ErrorFromResponse that are kUnavailable.
class CloudStorageTransport final : public http::Transport {
 public:
  /// `inner` must outlive the transport.
  explicit CloudStorageTransport(http::Transport& inner) : inner_(&inner) {}

  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override;

 private:
  http::Transport* inner_;
};

}  // namespace kinetic::gcs
