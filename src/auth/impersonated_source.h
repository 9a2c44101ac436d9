#pragma once

#include "auth/token_endpoint.h"
#include "auth/token_source.h"

#include <memory>

namespace kinetic::auth {

/// A service account in whose name another credential may act.
///
/// @source
/// https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken
class ImpersonatedSource final : public TokenSource {
 public:
  ImpersonatedSource(std::unique_ptr<TokenSource> source, Impersonation wanted, Identity who,
                     const Network& network)
      : source_(std::move(source)),
        wanted_(std::move(wanted)),
        who_(std::move(who)),
        network_(network) {}
  Result<AccessToken> Fetch(std::stop_token stop) override;
  Identity Who() const override { return who_; }

 private:
  std::unique_ptr<TokenSource> source_;
  Impersonation wanted_;
  Identity who_;
  Network network_;
};

}  // namespace kinetic::auth
