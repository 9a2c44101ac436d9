#include "kinetic/try.h"

#include "auth/pem.h"
#include "kube/kubeconfig/cluster_access.h"

namespace kinetic::kube {
namespace {

constexpr std::uint64_t kPemBytes = 4U << 20;
constexpr std::size_t kFingerprintDigits = 12;

Failure Broken(const Pem& pem, const std::string& what, Error error) {
  std::string where = pem.location.Text();
  if (pem.text.empty() && pem.location.line != 0) where += " (" + pem.file.native() + ")";
  error.message = where + ": " + what + ": " + error.message;
  error.hint = "get a new kubeconfig, or correct the file";
  return Failure(std::move(error));
}

}  // namespace

Result<std::string> ReadPem(FileSystem& fs, const Pem& pem, const std::string& what) {
  if (!pem.text.empty() || pem.file.empty()) return pem.text;
  auto text = ReadFile(fs, pem.file, kPemBytes);
  if (text) return text;
  return Failure(std::move(text).error().Context(pem.location.Text() + ": " + what));
}

Status SetAuthority(FileSystem& fs, const Pem& pem, const std::string& what,
                    ClusterAccess& access) {
  if (!pem.given()) return {};
  KINETIC_ASSIGN_OR_RETURN(access.ca_pem, ReadPem(fs, pem, what));
  auto facts = auth::ReadCertificates(access.ca_pem);
  if (!facts) return Broken(pem, what, std::move(facts).error());
  access.ca_fingerprint = facts->digest.Hex().substr(0, kFingerprintDigits);
  return {};
}

Status SetClientCertificate(FileSystem& fs, const UserEntry& user, ClusterAccess& access) {
  if (!user.certificate.given()) return {};
  const std::string what = "the client certificate of user " + user.name;
  if (!user.key.given()) {
    return Fail(ErrorCode::kInvalidArgument,
                user.certificate.location.Text() + ": " + what + " has no client-key",
                "add client-key or client-key-data to the user");
  }
  KINETIC_ASSIGN_OR_RETURN(access.certificate_pem, ReadPem(fs, user.certificate, what));
  KINETIC_ASSIGN_OR_RETURN(access.key_pem, ReadPem(fs, user.key, "the key of user " + user.name));
  auto facts = auth::ReadCertificates(access.certificate_pem);
  if (!facts) return Broken(user.certificate, what, std::move(facts).error());
  access.certificate_expiry = facts->not_after;
  auto pair = auth::CheckKeyPair(access.certificate_pem, access.key_pem);
  if (!pair) return Broken(user.key, "the key of user " + user.name, std::move(pair).error());
  return {};
}

}  // namespace kinetic::kube
