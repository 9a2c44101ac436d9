#include "kube/auth/credential.h"

namespace kinetic::kube {
namespace {

constexpr std::chrono::seconds kLasts{60};

}  // namespace

Result<Credential> TokenFileCredential::Fetch(const Credential*, std::stop_token stop) {
  const auto token = file_.Fetch(std::move(stop));
  if (!token && last_.empty()) return Failure(token.error());
  if (token) last_ = token->value;
  return Credential{.authorization = "Bearer " + last_,
                    .certificate_pem = {},
                    .key_pem = {},
                    .expiry = clock_->Now() + kLasts};
}

}  // namespace kinetic::kube
