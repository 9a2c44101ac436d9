#include "kinetic/try.h"

#include "auth/source/token_sources.h"
#include "auth/tokens.h"
#include "base/strings.h"

namespace kinetic::auth {
namespace {

constexpr std::chrono::hours kLifetime{1};
/// The audience does not depend on token_url.
constexpr const char* kAudience = "https://oauth2.googleapis.com/token";

std::int64_t Seconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

Result<std::string> ServiceAccountSource::Assertion(WallTime now, bool for_exchange) const {
  Value claims{Value::Map{}};
  claims.Set("iss", credential_.identity.account);
  if (for_exchange) {
    claims.Set("aud", kAudience);
  } else {
    claims.Set("sub", credential_.identity.account);
  }
  claims.Set("scope", Join(credential_.scopes, " "));
  claims.Set("iat", Seconds(now));
  claims.Set("exp", Seconds(now + kLifetime));
  auto signed_claims = SignJwt(credential_.private_key_pem, credential_.private_key_id, claims);
  if (signed_claims) return signed_claims;
  Error error =
      std::move(signed_claims).error().Context("the credential in " + credential_.identity.origin);
  error.code = ErrorCode::kUnauthenticated;
  return Failure(std::move(error));
}

Result<AccessToken> ServiceAccountSource::Fetch(std::stop_token stop) {
  const WallTime now = network_.clock->Now();
  KINETIC_ASSIGN_OR_RETURN(std::string assertion, Assertion(now, !credential_.self_signed));
  if (credential_.self_signed) return AccessToken{std::move(assertion), now + kLifetime};
  const Form form{{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
                  {"assertion", std::move(assertion)}};
  return RequestToken(network_, credential_.token_url, form,
                      "the credential in " + credential_.identity.origin, std::move(stop));
}

}  // namespace kinetic::auth
