#include "base/try.h"
#include "connect/cluster_transport.h"

namespace kinetic::connect {
namespace {

constexpr std::string_view kBearer = "Bearer ";

}  // namespace

Result<kube::Credential> GoogleCredential::Fetch(const kube::Credential* refused,
                                                 std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto connection, connect_(stop));
  if (refused != nullptr && refused->authorization.starts_with(kBearer)) {
    connection->Invalidate(refused->authorization.substr(kBearer.size()));
  }
  KINETIC_ASSIGN_OR_RETURN(const auth::AccessToken token, connection->Token(std::move(stop)));
  // The connection knows when to renew it, and is asked each time.
  return kube::Credential{.authorization = std::string(kBearer) + token.value,
                          .certificate_pem = {},
                          .key_pem = {},
                          .expiry = clock_->Now()};
}

}  // namespace kinetic::connect
