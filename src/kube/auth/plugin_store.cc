#include "base/time/clock.h"
#include "json/document.h"
#include "kube/auth/plugin.h"

#include <unistd.h>

namespace kinetic::kube {
namespace {

constexpr std::uint64_t kFileBytes = 1U << 20;
/// Credentials that expire sooner are not used: they might expire before the request.
constexpr std::chrono::seconds kMinRemaining{10};
constexpr std::chrono::hours kMaxAge{24 * 30};

Value ToValue(const Credential& credential) {
  return Value::Map{{"authorization", credential.authorization},
                    {"certificate", credential.certificate_pem},
                    {"key", credential.key_pem},
                    {"expiry", ToMicros(credential.expiry)}};
}

std::optional<Credential> FromJson(const std::string& text) {
  const auto value = Value::FromJson(text);
  if (!value) return std::nullopt;
  json::ObjectReader reader(*value, "credential");
  Credential credential;
  credential.authorization = reader.String("authorization");
  credential.certificate_pem = reader.String("certificate");
  credential.key_pem = reader.String("key");
  credential.expiry = FromMicros(reader.Int("expiry"));
  if (!reader.Finish()) return std::nullopt;
  return credential;
}

/// Returns whether only the owner can have written or read the file.
bool IsPrivate(const FileStatus& status) {
  return status.type == FileType::kRegular && status.owner == ::geteuid() &&
         (status.mode & 077U) == 0;
}

}  // namespace

std::optional<Credential> PluginCredentialCache::Find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const auto status = fs_->Lstat(FileOf(key));
  if (!status || !IsPrivate(*status)) return std::nullopt;
  const auto text = ReadFile(*fs_, FileOf(key), kFileBytes);
  auto credential = text ? FromJson(*text) : std::nullopt;
  if (!credential || credential->expiry < clock_->Now() + kMinRemaining) return std::nullopt;
  return credential;
}

void PluginCredentialCache::Store(const std::string& key, const Credential& credential) const {
  if (folder_.empty()) return;
  if (!MakeDirectories(*fs_, folder_, 0700)) return;
  (void)RemoveOlderThan(*fs_, folder_, clock_->Now() - kMaxAge);
  (void)WriteFileAtomically(*fs_, FileOf(key), ToValue(credential).ToJson(), 0600);
}

void PluginCredentialCache::Erase(const std::string& key) const {
  if (!folder_.empty()) (void)fs_->Unlink(FileOf(key));
}

}  // namespace kinetic::kube
