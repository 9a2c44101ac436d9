#pragma once

#include "connect/connection.h"

#include <string>

namespace kinetic::connect {

inline constexpr const char* kTokenInfo = "https://oauth2.googleapis.com/tokeninfo";

/// What CheckCredential does, with `seams` of the caller's.
///
/// @param token_info  where Google says whose an access token is.
Result<CredentialStatus> Check(const CloudOptions& options, const Seams& seams,
                               const std::string& token_info, std::stop_token stop);

}  // namespace kinetic::connect
