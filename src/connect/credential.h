#pragma once

#include "kinetic/cloud.h"

#include "auth/credentials.h"
#include "base/time/clock.h"
#include "connect/connection.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace kinetic::connect {

struct Found {
  std::unique_ptr<auth::TokenSource> source;
  auth::Identity who;  ///< as far as it is known without asking anybody
};

/// The credential that the caller's options lead to, looked for again when it is refused for good:
/// somebody who logs in anew helps a process that has run for days.
///
/// @param  direct  without a proxy, for the metadata server; outlives the source.
/// @errors as auth::FindCredential.
Result<Found> FindCredential(const CloudOptions& options, const auth::CredentialContext& context,
                             http::Transport& direct, std::stop_token stop);

inline constexpr const char* kTokenInfo = "https://oauth2.googleapis.com/tokeninfo";

/// What CheckCredential does, with `seams` of the caller's.
///
/// @param token_info  where Google says whose an access token is.
Result<CredentialStatus> Check(const CloudOptions& options, const Seams& seams,
                               const std::string& token_info, std::stop_token stop);

/// What to tell somebody who starts a job with a credential that nobody here can renew: an access
/// token that was given, or that somebody else keeps in a file. Nothing: it is another one, or the
/// token is known to outlast the job.
///
/// @param lasts  the longest that the job can take; nothing: there is no limit.
std::optional<std::string> WarnOfEnd(const CloudOptions& options, WallTime now,
                                     std::optional<std::chrono::milliseconds> lasts);

}  // namespace kinetic::connect
