#pragma once

#include "kinetic/error.h"

#include "http/url.h"

#include <string>
#include <string_view>

namespace kinetic::http {

/// In a list of exceptions: also use the proxy for this machine.
inline constexpr std::string_view kNoLoopbackException = "<-loopback>";

/// Returns the proxy for a URL, or an empty text.
///
/// @param proxies  "http://user:password@host:3128" for every scheme, or one for each scheme:
///                 "https=http://host:3128 http=http://host:3129".
std::string ProxyOfScheme(std::string_view proxies, const UrlParts& url);

/// Returns whether a server is contacted without a proxy: this machine, and the exceptions. An
/// exception is a domain with its subdomains, "*.domain" without the domain itself, an address, a
/// network such as 10.0.0.0/8, or "*". All but networks may end in a port.
///
/// @param no_proxy  "example.com,10.0.0.0/8", as in the variable.
/// @source          https://pkg.go.dev/golang.org/x/net/http/httpproxy, curl(1)
bool BypassesProxy(std::string_view no_proxy, const UrlParts& url);

}  // namespace kinetic::http
