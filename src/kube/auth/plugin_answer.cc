#include "kinetic/value.h"

#include "auth/certificate.h"
#include "base/strings.h"
#include "base/time/timestamp.h"
#include "base/try.h"
#include "kube/auth/plugin.h"

#include <algorithm>
#include <utility>

namespace kinetic::kube {
namespace {

Failure Bad(const std::string& where, const std::string& what) {
  return Fail(ErrorCode::kUnauthenticated, where + " " + what,
              "run it by hand to see what it prints, or bring it up to date");
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
    return Bad(where, "printed JSON that is no ExecCredential");
  }
  if (*version == api_version) return {};
  return Fail(
      ErrorCode::kUnauthenticated,
      where + " speaks " + Printable(*version) + ", and the kubeconfig demands " + api_version,
      "write the plugin's version as its apiVersion in the kubeconfig, or change the "
      "plugin's version");
}

Status SetCertificate(Credential& credential, std::string certificate, std::string key,
                      const std::string& where) {
  if (certificate.empty() != key.empty()) {
    return Bad(where, certificate.empty() ? "gave a private key without a certificate"
                                          : "gave a certificate without its private key");
  }
  if (certificate.empty()) return {};
  auto facts = auth::ReadCertificates(certificate);
  if (!facts) return Bad(where, "gave a certificate that is none: " + facts.error().message);
  const auto pair = auth::CheckKeyPair(certificate, key);
  if (!pair) return Bad(where, "gave a certificate and a key: " + pair.error().message);
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
  if (Trim(text).empty()) return Bad(where, "printed nothing");
  const auto answer = Value::FromJson(text);
  if (!answer || answer->AsMap() == nullptr) return Bad(where, "printed something that is no JSON");
  KINETIC_RETURN_IF_ERROR(CheckHeader(*answer, api_version, where));
  const Value* const status = answer->Find("status");
  if (status == nullptr || status->AsMap() == nullptr) return Bad(where, "gave no status");
  const auto token = OptionalText(*status, "token");
  const auto certificate = OptionalText(*status, "clientCertificateData");
  const auto key = OptionalText(*status, "clientKeyData");
  const auto expiry = OptionalText(*status, "expirationTimestamp");
  if (!token || !certificate || !key || !expiry) {
    return Bad(where, "gave a status whose members are no strings");
  }
  if (token->empty() && certificate->empty() && key->empty()) {
    return Bad(where, "gave neither a token nor a certificate");
  }
  if (!IsHeaderSafe(*token)) return Bad(where, "gave a token with blanks or line ends in it");
  PluginOutput read;
  Credential& credential = read.credential;
  KINETIC_RETURN_IF_ERROR(SetCertificate(credential, *certificate, *key, where));
  if (!token->empty()) credential.authorization = "Bearer " + *token;
  if (expiry->empty()) return read;
  const auto time = ParseTime(*expiry);
  if (!time) return Bad(where, "gave an expirationTimestamp that is no time");
  credential.expiry = std::min(credential.expiry, *time);
  read.has_expiry = true;
  return read;
}

}  // namespace kinetic::kube
