#pragma once

#include "http/headers.h"

#include <string>
#include <string_view>

namespace kinetic::http {

/// A URL as it may be shown: without user and password, and with the values of query parameters
/// that are credentials (upload sessions, signatures, tokens, keys) left out. Logs, errors and
/// traces take this type and no string, so that nobody has to remember.
class RedactedUrl {
 public:
  explicit RedactedUrl(std::string_view url);
  const std::string& Text() const { return text_; }

 private:
  std::string text_;
};

/// Header fields as they may be shown, one "name: value" a line; credentials are "[secret]".
std::string Redacted(const Headers& headers);

}  // namespace kinetic::http
