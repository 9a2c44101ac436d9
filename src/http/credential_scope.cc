#include "http/url.h"

#include <optional>
#include <string>

namespace kinetic::http {
namespace {

std::string_view PortOf(const UrlParts& parts) {
  if (!parts.port.empty()) return parts.port;
  return parts.scheme == "https" ? "443" : "80";
}

/// Returns the parts of a URL that all parsers read alike: no user name, and a host of letters,
/// digits, '.', '-' and '_', or an IPv6 address.
std::optional<UrlParts> ParseStrictly(std::string_view url) {
  constexpr std::string_view kHostCharacters = "abcdefghijklmnopqrstuvwxyz0123456789.-_:[]";
  auto parts = ParseUrl(url);
  const bool http = parts && (parts->scheme == "https" || parts->scheme == "http");
  if (!http || !parts->user_info.empty() ||
      parts->host.find_first_not_of(kHostCharacters) != std::string::npos) {
    return std::nullopt;
  }
  return *std::move(parts);
}

}  // namespace

bool IsSameOrigin(std::string_view url, std::string_view other) {
  const auto one = ParseStrictly(url);
  const auto two = ParseStrictly(other);
  return one && two && one->scheme == two->scheme && one->host == two->host &&
         PortOf(*one) == PortOf(*two);
}

bool IsGoogleApi(std::string_view url) {
  const auto parts = ParseStrictly(url);
  return parts && parts->scheme == "https" && PortOf(*parts) == "443" &&
         parts->host.ends_with(".googleapis.com");
}

bool MayReceiveCredential(std::string_view service, std::string_view url) {
  return IsSameOrigin(url, service) || IsGoogleApi(url);
}

}  // namespace kinetic::http
