#pragma once

#include "kinetic/cloud.h"

#include "auth/application_default.h"

#include <memory>

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

}  // namespace kinetic::connect
