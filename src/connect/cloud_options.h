#pragma once

#include "kinetic/cloud.h"
#include "kinetic/value.h"

#include "auth/credentials.h"
#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "connect/connection.h"
#include "curl/transport.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace kinetic::connect {

/// Returns HTTP version, proxy and CA certificates as transport options.
///
/// @errors  kFailedPrecondition (the CA file) · those of FileSystem.
Result<curl::Options> ToCurlOptions(const CloudOptions& options, FileSystem& fs);

/// Returns all options except `retry_for`, `requests` and `waits` as JSON. It contains secrets:
/// write it to a pipe, not to a file.
Value ToValue(const CloudOptions& options);

/// @errors  kDataLoss: names the field that is missing or has another type.
Result<CloudOptions> CloudOptionsFromValue(const Value& value);

/// A token source and its identity, as far as it is known without a request.
struct FoundCredential {
  std::unique_ptr<auth::TokenSource> source;
  auth::Identity identity;
};

/// Finds the credential for the caller's options. When it becomes invalid, the source finds it
/// again, so that a new login takes effect in running processes.
///
/// @param   direct  without a proxy, for the metadata server; must outlive the source.
/// @errors  as auth::FindCredential.
Result<FoundCredential> FindCredential(const CloudOptions& options,
                                       const auth::CredentialContext& context,
                                       http::Transport& direct, std::stop_token stop);

inline constexpr const char* kTokenInfoUrl = "https://oauth2.googleapis.com/tokeninfo";

/// CheckCredential with given dependencies.
///
/// @param token_info  the URL that describes access tokens.
Result<CredentialStatus> CheckCredentialAt(const CloudOptions& options, const Dependencies& deps,
                                           const std::string& token_info, std::stop_token stop);

/// Returns a warning if kinetic cannot refresh the credential and it may expire before the job
/// ends: an access token from the caller or from a file.
///
/// @param time_limit  the job's time limit; nullopt: none.
std::optional<std::string> ExpiryWarning(const CloudOptions& options, WallTime now,
                                         std::optional<std::chrono::milliseconds> time_limit);

}  // namespace kinetic::connect
