#include "base/strings.h"
#include "http/headers.h"
#include "http/url.h"

#include <algorithm>
#include <array>

namespace kinetic::http {
namespace {

constexpr std::string_view kSecret = "[secret]";

/// Substrings of parameter names. "upload_id" and a registry's "_state" identify an upload session,
/// which acts as a credential.
constexpr std::array<std::string_view, 12> kSecretParameters{
    "upload_id", "_state",    "token", "signature", "credential", "secret",
    "password",  "assertion", "key",   "code",      "sig",        "policy"};
/// A position in a listing, not a credential.
constexpr std::string_view kHarmlessParameter = "pagetoken";

constexpr std::array<std::string_view, 6> kSecretHeaders{
    "authorization", "proxy-authorization",   "cookie",
    "set-cookie",    "x-goog-encryption-key", "www-authenticate"};

constexpr std::array<std::string_view, 7> kSecretHeaderParts{
    "token", "key", "secret", "password", "credential", "signature", "uploadid"};

bool IsSecretParameter(std::string_view name) {
  const std::string lower = ToLower(name);
  if (lower == kHarmlessParameter) return false;
  return std::any_of(kSecretParameters.begin(), kSecretParameters.end(),
                     [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

/// Credential files define their own headers, and upload responses name the session in a header.
bool IsSecretHeader(std::string_view lower) {
  if (std::find(kSecretHeaders.begin(), kSecretHeaders.end(), lower) != kSecretHeaders.end()) {
    return true;
  }
  return std::any_of(kSecretHeaderParts.begin(), kSecretHeaderParts.end(),
                     [&](auto part) { return lower.find(part) != std::string_view::npos; });
}

std::string RedactQuery(std::string_view query) {
  std::string out;
  for (const std::string_view pair : Split(query, '&')) {
    if (!out.empty()) out += '&';
    const std::size_t equals = pair.find('=');
    const bool secret =
        equals != std::string_view::npos && IsSecretParameter(pair.substr(0, equals));
    out += secret ? std::string(pair.substr(0, equals + 1)).append(kSecret) : std::string(pair);
  }
  return out;
}

}  // namespace

RedactedUrl::RedactedUrl(std::string_view url) {
  std::string_view rest = url.substr(0, url.find('#'));
  const std::size_t mark = rest.find('?');
  const std::string query =
      mark == std::string_view::npos ? "" : "?" + RedactQuery(rest.substr(mark + 1));
  rest = rest.substr(0, mark);
  if (const std::size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
    text_ = rest.substr(0, scheme + 3);
    rest = rest.substr(scheme + 3);
    const std::string_view authority = rest.substr(0, rest.find('/'));
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
      rest = rest.substr(at + 1);
    }
  }
  text_ = Printable(text_ + std::string(rest) + query);
}

std::string Redacted(const Headers& headers) {
  std::string out;
  for (const auto& [name, value] : headers) {
    const std::string lower = ToLower(name);
    const bool secret = IsSecretHeader(lower);
    // The URL of an upload session permits writing to it.
    const std::string shown = lower == "location" ? RedactedUrl(value).Text() : Printable(value);
    out += Printable(name) + ": " + (secret ? std::string(kSecret) : shown) + "\n";
  }
  return out;
}

}  // namespace kinetic::http
