#pragma once

#include <string_view>

namespace kinetic::http {

/// Returns whether two URLs have the same scheme, host and port.
bool IsSameOrigin(std::string_view url, std::string_view other);

/// Returns whether a URL is one of Google's APIs: https, a host below googleapis.com, port 443.
bool IsGoogleApi(std::string_view url);

/// Returns whether a request to `url`, which a server may have chosen (a redirect, the URL of an
/// upload session), may carry Google's credential: the URL has the origin of `service`, or is one of
/// Google's APIs. A URL with a user name or an unusual host never may, because parsers disagree
/// about it.
///
/// @param service  the endpoint that the credential was configured for.
bool MayReceiveCredential(std::string_view service, std::string_view url);

}  // namespace kinetic::http
