#pragma once

#include "kinetic/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::http {

/// `text` with every byte but the unreserved ones as %XX: '/' becomes %2F.
///
/// @source RFC 3986, section 2.3
std::string PercentEncode(std::string_view text);

/// The bytes behind %XX; a '%' that begins no pair of hex digits stays.
std::string PercentDecode(std::string_view text);

/// An address put together piece by piece: `Url("https://h/b").Part(name).Query("prefix",
/// p).Text()`.
class Url {
 public:
  /// `base` is taken as it is, without a '/' at its end.
  explicit Url(std::string_view base);

  /// Adds '/' and one path segment, encoded.
  Url& Part(std::string_view segment);
  /// Adds text that is part of an address already, "/storage/v1".
  Url& Raw(std::string_view path);
  /// Adds a query parameter, encoded.
  Url& Query(std::string_view name, std::string_view value);

  const std::string& Text() const { return text_; }

 private:
  std::string text_;
  bool has_query_ = false;
};

/// A URL taken apart as far as anybody here needs it.
struct UrlParts {
  std::string scheme;     ///< lower case
  std::string user_info;  ///< "user:password", encoded as it was
  std::string host;       ///< lower case; an IPv6 address keeps its brackets
  std::string port;       ///< empty: the scheme's own
  std::string path;       ///< from the first '/'; may be empty
  std::string query;      ///< without the '?'
};

/// @errors  kInvalidArgument: no scheme, no host, a space or a control character.
Result<UrlParts> ParseUrl(std::string_view url);

/// Whether `host` is the machine itself: localhost, 127.0.0.0/8, [::1].
bool IsLoopback(std::string_view host);

}  // namespace kinetic::http
