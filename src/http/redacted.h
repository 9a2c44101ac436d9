#pragma once

#include "http/headers.h"

#include <string>
#include <string_view>

namespace kinetic::http {

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

/// Formats header fields for display, one "name: value" per line, with credentials replaced by
/// "[secret]".
std::string Redacted(const Headers& headers);

}  // namespace kinetic::http
