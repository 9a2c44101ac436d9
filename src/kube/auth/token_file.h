#pragma once

#include "auth/source/fixed_source.h"
#include "kube/auth/credential.h"

#include <optional>
#include <string>

namespace kinetic::kube {

/// A bearer token in a file that somebody else renews, read again about once a minute: the account
/// of a pod, or `tokenFile` of a kubeconfig.
class TokenFileCredential final : public CredentialSource {
 public:
  /// @param fallback  what is shown as long as the file has never been readable; may be empty.
  TokenFileCredential(Path path, std::string fallback, FileSystem& fs, Clock& clock)
      : file_(std::move(path), fs, clock), last_(std::move(fallback)), clock_(&clock) {}

  /// @errors  kUnauthenticated: there is no such file, or no token in it, and there never was.
  Result<Credential> Fetch(const Credential* refused, std::stop_token stop) override;

 private:
  auth::TokenFileSource file_;
  std::string last_;  ///< the token that was read last
  Clock* clock_;
};

}  // namespace kinetic::kube
