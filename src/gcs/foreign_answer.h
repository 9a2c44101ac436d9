#pragma once

#include "http/transport.h"

#include <optional>
#include <string>
#include <string_view>

/// Recognizes answers that a proxy, a login page of a network or a wrong endpoint gives instead of
/// Cloud Storage.

namespace kinetic::gcs {

/// Returns the target of a redirect. Status 308 without one is the state of an upload session.
std::optional<std::string> RedirectTarget(const http::Response& response);

/// Returns whether the body is an HTML page.
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
