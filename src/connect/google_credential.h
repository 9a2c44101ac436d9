#pragma once

#include "connect/connection.h"
#include "kube/auth/credential.h"

#include <functional>
#include <memory>

namespace kinetic::connect {

/// Google's access token as the credential of a cluster: what the plugin of GKE would give.
class GoogleCredential final : public kube::CredentialSource {
 public:
  /// @param connect  opens the connection that has the credential, when it is first needed.
  explicit GoogleCredential(
      std::function<Result<std::shared_ptr<Connection>>(std::stop_token)> connect, Clock& clock)
      : connect_(std::move(connect)), clock_(&clock) {}

  Result<kube::Credential> Fetch(const kube::Credential* refused, std::stop_token stop) override;

 private:
  std::function<Result<std::shared_ptr<Connection>>(std::stop_token)> connect_;
  Clock* clock_;
};

}  // namespace kinetic::connect
