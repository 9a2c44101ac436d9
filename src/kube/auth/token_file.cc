#include "kube/auth/credential.h"

namespace kinetic::kube {
namespace {

constexpr std::chrono::seconds kRereadInterval{60};

}  // namespace

Result<Credential> TokenFileCredentialSource::Fetch(const Credential*, std::stop_token stop) {
  const auto token = file_.Fetch(std::move(stop));
  if (!token && last_token_.empty()) return Failure(token.error());
  if (token) last_token_ = token->value;
  return Credential{.authorization = "Bearer " + last_token_,
                    .certificate_pem = {},
                    .key_pem = {},
                    .expiry = clock_->Now() + kRereadInterval};
}

}  // namespace kinetic::kube
