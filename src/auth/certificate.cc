#include "kinetic/try.h"

#include "auth/pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <ctime>

namespace kinetic::auth {
namespace {

using Certificate = OpenSslPtr<X509>;

std::string CommonName(const X509* certificate) {
  std::array<char, 256> name{};
  const int size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName,
                                             name.data(), static_cast<int>(name.size()));
  return size > 0 ? std::string(name.data(), static_cast<std::size_t>(size)) : "";
}

WallTime NotAfter(const X509* certificate) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) != 1) return WallTime::max();
  return WallTime(std::chrono::seconds(::timegm(&parts)));
}

void AddTo(Sha256& digest, X509* certificate) {
  unsigned char* der = nullptr;
  const int size = i2d_X509(certificate, &der);
  if (size <= 0) return;
  digest.Update({reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)});
  OPENSSL_free(der);
}

/// Returns whether parsing stopped because the input ended.
bool AtEnd() {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

}  // namespace

Result<CertificateInfo> ReadCertificates(const std::string& pem) {
  const auto bio = ReaderOf(pem);
  CertificateInfo info;
  Sha256 digest;
  int count = 0;
  ERR_clear_error();
  while (const auto one =
             Certificate(PEM_read_bio_X509(bio.get(), nullptr, &NoPassword, nullptr))) {
    if (count++ == 0) {
      info.subject = CommonName(one.get());
      info.not_after = NotAfter(one.get());
    }
    AddTo(digest, one.get());
  }
  if (!AtEnd()) {
    return Fail(ErrorCode::kInvalidArgument,
                "certificate " + std::to_string(count + 1) + " is invalid");
  }
  if (count == 0) return Fail(ErrorCode::kInvalidArgument, "it contains no PEM certificate");
  info.digest = digest.Finish();
  return info;
}

Status CheckKeyPair(const std::string& certificate_pem, const std::string& key_pem) {
  const auto key = ReadPrivateKey(key_pem);
  ERR_clear_error();
  if (key == nullptr) {
    const bool encrypted = key_pem.find("ENCRYPTED") != std::string::npos;
    return Fail(ErrorCode::kInvalidArgument, encrypted
                                                 ? "the private key is encrypted with a password"
                                                 : "it contains no PEM private key");
  }
  const auto chain = ReaderOf(certificate_pem);
  const Certificate first(PEM_read_bio_X509(chain.get(), nullptr, &NoPassword, nullptr));
  const bool matches = first != nullptr && X509_check_private_key(first.get(), key.get()) == 1;
  ERR_clear_error();
  if (matches) return {};
  return Fail(ErrorCode::kInvalidArgument, "the private key does not belong to the certificate");
}

}  // namespace kinetic::auth
