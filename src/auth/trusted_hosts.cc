#include "auth/trusted_hosts.h"

#include "base/strings.h"
#include "base/try.h"
#include "http/url.h"

#include <algorithm>
#include <array>

namespace kinetic::auth {
namespace {

constexpr std::array<std::string_view, 4> kServices{"oauth2", "sts", "iamcredentials", "accounts"};

/// "sts.googleapis.com", "sts.us-east1.rep.googleapis.com", "us-east1-sts.googleapis.com"; a
/// private endpoint has ".p." in front of the domain.
bool IsServiceOf(std::string_view host, std::string_view domain) {
  if (!host.ends_with("." + std::string(domain))) return false;
  const auto labels = Split(host.substr(0, host.size() - domain.size() - 1), '.');
  return std::any_of(kServices.begin(), kServices.end(), [&](std::string_view service) {
    return labels[0] == service || labels[0].ends_with("-" + std::string(service));
  });
}

}  // namespace

Result<void> CheckTokenHost(const std::string& url, std::string_view member,
                            std::string_view universe_domain, bool loopback_allowed) {
  KINETIC_ASSIGN_OR_RETURN(const http::UrlParts parts, http::ParseUrl(url));
  if (loopback_allowed && http::IsLoopback(parts.host)) return {};
  const bool google = parts.host == "accounts.google.com" || parts.host == "www.googleapis.com" ||
                      IsServiceOf(parts.host, universe_domain);
  if (parts.scheme == "https" && parts.port.empty() && parts.user_info.empty() && google) return {};
  return Fail(ErrorCode::kPermissionDenied,
              "the credential's " + std::string(member) + " would send secrets to " + parts.host +
                  " over " + parts.scheme + ", which is no token service of " +
                  std::string(universe_domain),
              "use a credential file from a source you trust");
}

}  // namespace kinetic::auth
