#include "auth/jwt.h"

#include "base/base64.h"
#include "base/strings.h"
#include "base/try.h"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <memory>

namespace kinetic::auth {
namespace {

struct Free {
  void operator()(BIO* value) const { BIO_free(value); }
  void operator()(EVP_PKEY* value) const { EVP_PKEY_free(value); }
  void operator()(EVP_MD_CTX* value) const { EVP_MD_CTX_free(value); }
};

/// Without it OpenSSL asks the terminal for the password of an encrypted key.
int NoPassword(char*, int, int, void*) { return -1; }

Result<std::unique_ptr<EVP_PKEY, Free>> ReadKey(const std::string& pem) {
  const std::unique_ptr<BIO, Free> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  std::unique_ptr<EVP_PKEY, Free> key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, &NoPassword, nullptr));
  if (key == nullptr || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    return Fail(ErrorCode::kInvalidArgument, "the private key is no RSA key in PEM",
                "make a new key for the service account");
  }
  return key;
}

Result<std::string> Sign(EVP_PKEY* key, const std::string& text) {
  const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
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

/// base64url without padding, as in a JWT.
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
  KINETIC_ASSIGN_OR_RETURN(const auto key, ReadKey(key_pem));
  Value header{Value::Map{}};
  header.Set("typ", "JWT");
  header.Set("alg", "RS256");
  header.Set("kid", key_id);
  const std::string text =
      Base64UrlEncode(header.ToJson()) + "." + Base64UrlEncode(claims.ToJson());
  KINETIC_ASSIGN_OR_RETURN(const std::string signature, Sign(key.get(), text));
  return text + "." + Base64UrlEncode(signature);
}

std::optional<Value> ClaimsOf(std::string_view token) {
  const auto parts = Split(token, '.');
  const auto claims = parts.size() == 3 ? DecodePart(parts[1]) : std::nullopt;
  if (!claims) return std::nullopt;
  auto value = Value::FromJson(*claims);
  if (!value || value->AsMap() == nullptr) return std::nullopt;
  return *std::move(value);
}

}  // namespace kinetic::auth
