#include "kinetic/try.h"

#include "connect/cluster_transport.h"

namespace kinetic::connect {
namespace {

constexpr std::string_view kBearer = "Bearer ";

}  // namespace

Result<kube::Credential> GoogleCredentialSource::Fetch(const kube::Credential* rejected,
                                                       std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto connection, connect_(stop));
  if (rejected != nullptr && rejected->authorization.starts_with(kBearer)) {
    connection->Invalidate(rejected->authorization.substr(kBearer.size()));
  }
  KINETIC_ASSIGN_OR_RETURN(const auth::AccessToken token, connection->Token(std::move(stop)));
  // Expires at once: the connection caches and refreshes the token.
  return kube::Credential{.authorization = std::string(kBearer) + token.value,
                          .certificate_pem = {},
                          .key_pem = {},
                          .expiry = clock_->Now()};
}

}  // namespace kinetic::connect
