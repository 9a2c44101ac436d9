#include "kinetic/try.h"
#include "kinetic/value.h"

#include "auth/pem.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "kube/auth/plugin.h"

#include <algorithm>
#include <utility>

namespace kinetic::kube {
namespace {

Failure InvalidOutput(const std::string& where, const std::string& what) {
  return Fail(ErrorCode::kUnauthenticated, where + " " + what,
              "run it manually to see what it prints, or update it");
}

/// Returns a string field, "" if it is absent, or nullopt if it has another type.
std::optional<std::string> OptionalText(const Value& map, std::string_view key) {
  const Value* member = map.Find(key);
  if (member == nullptr || member->IsNull()) return "";
  if (member->AsString() == nullptr) return std::nullopt;
  return *member->AsString();
}

Status CheckHeader(const Value& answer, const std::string& api_version, const std::string& where) {
  const auto kind = OptionalText(answer, "kind");
  const auto version = OptionalText(answer, "apiVersion");
  if (kind != "ExecCredential" || !version || version->empty()) {
    return InvalidOutput(where, "printed JSON that is not an ExecCredential");
  }
  if (*version == api_version) return {};
  return Fail(
      ErrorCode::kUnauthenticated,
      where + " uses " + Printable(*version) + ", but the kubeconfig requires " + api_version,
      "set apiVersion in the kubeconfig to the version that the plugin uses, or use another "
      "version of the plugin");
}

Status SetCertificate(Credential& credential, std::string certificate, std::string key,
                      const std::string& where) {
  if (certificate.empty() != key.empty()) {
    return InvalidOutput(where, certificate.empty()
                                    ? "returned a private key without a certificate"
                                    : "returned a certificate without its private key");
  }
  if (certificate.empty()) return {};
  auto facts = auth::ReadCertificates(certificate);
  if (!facts) {
    return InvalidOutput(where, "returned an invalid certificate: " + facts.error().message);
  }
  const auto pair = auth::CheckKeyPair(certificate, key);
  if (!pair) {
    return InvalidOutput(where, "returned an invalid certificate and key: " + pair.error().message);
  }
  credential.expiry = facts->not_after;
  credential.certificate_pem = std::move(certificate);
  credential.key_pem = std::move(key);
  return {};
}

bool IsHeaderSafe(std::string_view token) {
  return std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

Result<PluginOutput> ParsePluginOutput(std::string_view text, const std::string& api_version,
                                       const std::string& where) {
  if (Trim(text).empty()) return InvalidOutput(where, "printed nothing");
  const auto answer = Value::FromJson(text);
  if (!answer || answer->AsMap() == nullptr) return InvalidOutput(where, "did not print JSON");
  KINETIC_RETURN_IF_ERROR(CheckHeader(*answer, api_version, where));
  const Value* const status = answer->Find("status");
  if (status == nullptr || status->AsMap() == nullptr) {
    return InvalidOutput(where, "returned no status");
  }
  const auto token = OptionalText(*status, "token");
  const auto certificate = OptionalText(*status, "clientCertificateData");
  const auto key = OptionalText(*status, "clientKeyData");
  const auto expiry = OptionalText(*status, "expirationTimestamp");
  if (!token || !certificate || !key || !expiry) {
    return InvalidOutput(where, "returned a status with fields that are not strings");
  }
  if (token->empty() && certificate->empty() && key->empty()) {
    return InvalidOutput(where, "returned neither a token nor a certificate");
  }
  if (!IsHeaderSafe(*token)) {
    return InvalidOutput(where, "returned a token with spaces or line breaks");
  }
  PluginOutput read;
  Credential& credential = read.credential;
  KINETIC_RETURN_IF_ERROR(SetCertificate(credential, *certificate, *key, where));
  if (!token->empty()) credential.authorization = "Bearer " + *token;
  if (expiry->empty()) return read;
  const auto time = ParseTime(*expiry);
  if (!time) return InvalidOutput(where, "returned an invalid expirationTimestamp");
  credential.expiry = std::min(credential.expiry, *time);
  read.has_expiry = true;
  return read;
}

}  // namespace kinetic::kube
