#pragma once

#include "auth/token_source.h"
#include "http/retry.h"
#include "http/transport.h"

#include <string>
#include <utility>
#include <vector>

namespace kinetic::auth {

/// What fetching a token over the network needs. All of it outlives its users.
struct Network {
  http::Transport* transport = nullptr;
  Clock* clock = nullptr;
  http::RetryPolicy retry{.max_attempts = 3, .base = std::chrono::milliseconds(1000)};
};

using Form = std::vector<std::pair<std::string, std::string>>;

/// Asks an OAuth token endpoint.
///
/// @param  whose  begins every message: "the credential in /home/ana/key.json".
/// @errors kUnauthenticated (refused: what the server says; a clock that is wrong is said so) ·
///         kUnavailable · kDataLoss (an answer that is none) · kCancelled.
/// @source RFC 6749, section 5; https://cloud.google.com/docs/authentication/token-types
Result<AccessToken> AskTokenEndpoint(const Network& network, const std::string& url,
                                     const Form& form, const std::string& whose,
                                     std::stop_token stop);

/// Reads {"access_token", "expires_in"}, where expires_in may be a number or text.
Result<AccessToken> ReadTokenAnswer(const std::string& json, const std::string& whose,
                                    const Clock& clock);

/// `name=value` pairs, encoded.
std::string EncodeForm(const Form& form);

/// Asks IAM for a token of another service account with one that may.
///
/// @param  url
/// "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/EMAIL:generateAccessToken".
struct Impersonation {
  std::string url;
  std::vector<std::string> delegates;
  std::vector<std::string> scopes;
  std::chrono::seconds lifetime{3600};
};
Result<AccessToken> AskForImpersonation(const Network& network, const Impersonation& wanted,
                                        const AccessToken& with, const std::string& whose,
                                        std::stop_token stop);

}  // namespace kinetic::auth
