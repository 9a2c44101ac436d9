#pragma once

#include "auth/tokens.h"
#include "http/retry.h"
#include "http/transport.h"

#include <string>
#include <utility>
#include <vector>

namespace kinetic::auth {

/// What fetching a token over the network needs. Everything must outlive its users.
struct Network {
  http::Transport* transport = nullptr;
  Clock* clock = nullptr;
  http::RetryPolicy retry{.max_attempts = 3, .base = std::chrono::milliseconds(1000)};
};

using Form = std::vector<std::pair<std::string, std::string>>;

/// Requests a token from an OAuth token endpoint.
///
/// @param  credential  for messages: "the credential in /home/ana/key.json".
/// @errors kUnauthenticated (rejected; mentions a wrong local clock) · kUnavailable · kDataLoss (an
///         invalid response) · kCancelled.
/// @source RFC 6749, section 5; https://cloud.google.com/docs/authentication/token-types
Result<AccessToken> RequestToken(const Network& network, const std::string& url, const Form& form,
                                 const std::string& credential, std::stop_token stop);

/// Parses {"access_token", "expires_in"}, where expires_in is a number or a string.
Result<AccessToken> ParseTokenResponse(const std::string& json, const std::string& credential,
                                       const Clock& clock);

/// Encodes a form as application/x-www-form-urlencoded.
std::string EncodeForm(const Form& form);

/// A service account to impersonate.
struct Impersonation {
  std::string url;  ///< "https://iamcredentials.googleapis.com/…/EMAIL:generateAccessToken"
  std::vector<std::string> delegates;
  std::vector<std::string> scopes;
  std::chrono::seconds lifetime{3600};
};

/// Requests a token of another service account from IAM. Errors as RequestToken, and
/// kPermissionDenied.
Result<AccessToken> RequestImpersonatedToken(const Network& network,
                                             const Impersonation& impersonation,
                                             const AccessToken& source_token,
                                             const std::string& credential, std::stop_token stop);

/// Checks that a URL in a credential file is https on a Google host of the credential's universe: a
/// file from an untrusted source could send secrets to any address.
///
/// @param   member            the file's key, for messages.
/// @param   loopback_allowed  also accepts this machine, with http too.
/// @errors  kPermissionDenied, naming the member and the host.
Status CheckTokenHost(const std::string& url, std::string_view member,
                      std::string_view universe_domain, bool loopback_allowed);

}  // namespace kinetic::auth
