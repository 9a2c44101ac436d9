#include "http/url.h"

#include "base/strings.h"

#include <algorithm>
#include <array>

namespace kinetic::http {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsPlain(char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; }

/// Returns the position of the colon before the port in "host:port" or "[v6]:port", or npos.
std::size_t PortColon(std::string_view authority) {
  const std::size_t colon = authority.rfind(':');
  if (colon == std::string_view::npos || authority.find(']', colon) != std::string_view::npos) {
    return std::string_view::npos;
  }
  return colon;
}

bool IsPort(std::string_view text) {
  const auto number = ParseInt(text);
  return number && *number >= 0 && *number <= 65'535;
}

}  // namespace

std::string PercentEncode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (IsUnreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
  }
  return out;
}

std::string PercentDecode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '%' && i + 2 < text.size() && HexValue(text[i + 1]) >= 0 &&
                      HexValue(text[i + 2]) >= 0;
    if (!pair) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2]));
    i += 2;
  }
  return out;
}

Url::Url(std::string_view base) : text_(base) {
  while (text_.ends_with('/')) text_.pop_back();
}

Url& Url::Part(std::string_view segment) {
  text_ += '/';
  text_ += PercentEncode(segment);
  return *this;
}

Url& Url::Raw(std::string_view path) {
  text_ += path;
  return *this;
}

Url& Url::Query(std::string_view name, std::string_view value) {
  text_ += has_query_ ? '&' : '?';
  has_query_ = true;
  text_ += PercentEncode(name);
  text_ += '=';
  text_ += PercentEncode(value);
  return *this;
}

Result<UrlParts> ParseUrl(std::string_view url) {
  const auto refuse = [&](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument,
                "invalid URL '" + RedactedUrl(url).Text() + "': " + std::string(why));
  };
  if (!std::all_of(url.begin(), url.end(), IsPlain)) {
    return refuse("it contains a space or a control character");
  }
  UrlParts parts;
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos || scheme == 0) return refuse("it has no scheme");
  parts.scheme = ToLower(url.substr(0, scheme));
  std::string_view rest = url.substr(scheme + 3);
  rest = rest.substr(0, rest.find('#'));
  if (const std::size_t mark = rest.find('?'); mark != std::string_view::npos) {
    parts.query = rest.substr(mark + 1);
    rest = rest.substr(0, mark);
  }
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    parts.path = rest.substr(slash);
    rest = rest.substr(0, slash);
  }
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    parts.user_info = rest.substr(0, at);
    rest = rest.substr(at + 1);
  }
  if (const std::size_t colon = PortColon(rest); colon != std::string_view::npos) {
    parts.port = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    if (!IsPort(parts.port)) return refuse("its port is not a number up to 65535");
  }
  parts.host = ToLower(rest);
  if (parts.host.empty()) return refuse("it has no host");
  return parts;
}

bool IsLoopback(std::string_view host) {
  const bool number = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || host == "[::1]" || (number && host.starts_with("127."));
}

}  // namespace kinetic::http
