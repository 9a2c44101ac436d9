#include "kinetic/try.h"

#include "auth/pem.h"
#include "auth/tokens.h"
#include "base/strings.h"

#include <openssl/evp.h>

#include <algorithm>

namespace kinetic::auth {
namespace {

Result<OpenSslPtr<EVP_PKEY>> ReadRsaKey(const std::string& pem) {
  auto key = ReadPrivateKey(pem);
  if (key == nullptr || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    return Fail(ErrorCode::kInvalidArgument, "the private key is not an RSA key in PEM format",
                "create a new key for the service account");
  }
  return key;
}

Result<std::string> Sign(EVP_PKEY* key, const std::string& text) {
  const OpenSslPtr<EVP_MD_CTX> context(EVP_MD_CTX_new());
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::string signature(static_cast<std::size_t>(EVP_PKEY_get_size(key)), '\0');
  std::size_t size = signature.size();
  const bool made =
      EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     bytes, text.size()) == 1;
  if (!made) return Fail(ErrorCode::kInvalidArgument, "the private key cannot sign");
  signature.resize(size);
  return signature;
}

/// Decodes base64url without padding.
std::optional<std::string> DecodePart(std::string_view part) {
  std::string text(part);
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  text.resize((text.size() + 3) / 4 * 4, '=');
  return Base64Decode(text);
}

}  // namespace

Result<std::string> SignJwt(const std::string& key_pem, const std::string& key_id,
                            const Value& claims) {
  KINETIC_ASSIGN_OR_RETURN(const auto key, ReadRsaKey(key_pem));
  Value header{Value::Map{}};
  header.Set("typ", "JWT");
  header.Set("alg", "RS256");
  header.Set("kid", key_id);
  const std::string text =
      Base64UrlEncode(header.ToJson()) + "." + Base64UrlEncode(claims.ToJson());
  KINETIC_ASSIGN_OR_RETURN(const std::string signature, Sign(key.get(), text));
  return text + "." + Base64UrlEncode(signature);
}

std::optional<Value> ParseJwtClaims(std::string_view token) {
  const auto parts = Split(token, '.');
  const auto claims = parts.size() == 3 ? DecodePart(parts[1]) : std::nullopt;
  if (!claims) return std::nullopt;
  auto value = Value::FromJson(*claims);
  if (!value || value->AsMap() == nullptr) return std::nullopt;
  return *std::move(value);
}

std::optional<WallTime> JwtExpiry(std::string_view token) {
  const auto claims = ParseJwtClaims(token);
  const Value* member = claims ? claims->Find("exp") : nullptr;
  const std::int64_t* seconds = member != nullptr ? member->AsInt() : nullptr;
  constexpr std::int64_t kLatest = 253'402'300'799;  // the end of the year 9999
  if (seconds == nullptr || *seconds < 0 || *seconds > kLatest) return std::nullopt;
  return WallTime(std::chrono::duration_cast<WallTime::duration>(std::chrono::seconds(*seconds)));
}

}  // namespace kinetic::auth
