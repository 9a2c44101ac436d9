#pragma once

#include "kinetic/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::http {

/// Encodes all bytes except unreserved characters as %XX: '/' becomes %2F.
///
/// @source RFC 3986, section 2.3
std::string PercentEncode(std::string_view text);

/// Decodes %XX. Keeps a '%' that is not followed by two hex digits.
std::string PercentDecode(std::string_view text);

/// Builds a URL: `Url("https://h/b").Part(name).Query("prefix", p).Text()`.
class Url {
 public:
  /// Starts with `base`, without a trailing '/'.
  explicit Url(std::string_view base);

  /// Adds '/' and one path segment, encoded.
  Url& Part(std::string_view segment);
  /// Adds encoded text, such as "/storage/v1".
  Url& Raw(std::string_view path);
  /// Adds a query parameter, encoded.
  Url& Query(std::string_view name, std::string_view value);

  const std::string& Text() const { return text_; }

 private:
  std::string text_;
  bool has_query_ = false;
};

/// The components of a URL.
struct UrlParts {
  std::string scheme;     ///< lower case
  std::string user_info;  ///< "user:password", still encoded
  std::string host;       ///< lower case; an IPv6 address keeps its brackets
  std::string port;       ///< empty: the scheme's default
  std::string path;       ///< from the first '/'; may be empty
  std::string query;      ///< without the '?'
};

/// Parses a URL.
///
/// @errors  kInvalidArgument: no scheme, no host, a space or a control character.
Result<UrlParts> ParseUrl(std::string_view url);

/// Returns whether `host` is localhost, in 127.0.0.0/8, or [::1].
bool IsLoopback(std::string_view host);

/// Returns whether two URLs have the same scheme, host and port.
bool IsSameOrigin(std::string_view url, std::string_view other);

/// Returns whether a URL is one of Google's APIs: https, a host below googleapis.com, port 443.
bool IsGoogleApi(std::string_view url);

/// Returns whether a request to `url`, which a server may have chosen (a redirect, the URL of an
/// upload session), may carry Google's credential: the URL has the origin of `service`, or is one
/// of Google's APIs. A URL with a user name or an unusual host never may, because parsers disagree
/// about it.
///
/// @param service  the endpoint that the credential was configured for.
bool MayReceiveCredential(std::string_view service, std::string_view url);

/// A URL for display: without user, password and the values of query parameters that are
/// credentials (upload sessions, signatures, tokens, keys). Logs, errors and traces take this type
/// instead of a string.
class RedactedUrl {
 public:
  explicit RedactedUrl(std::string_view url);
  const std::string& Text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace kinetic::http
