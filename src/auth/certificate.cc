#include "auth/certificate.h"

#include "base/try.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <ctime>
#include <memory>

namespace kinetic::auth {
namespace {

struct Free {
  void operator()(BIO* value) const { BIO_free(value); }
  void operator()(EVP_PKEY* value) const { EVP_PKEY_free(value); }
  void operator()(X509* value) const { X509_free(value); }
};
using Certificate = std::unique_ptr<X509, Free>;

/// Without it OpenSSL asks the terminal for the password of an encrypted key.
int NoPassword(char*, int, int, void*) { return -1; }

std::unique_ptr<BIO, Free> Reading(const std::string& pem) {
  return std::unique_ptr<BIO, Free>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

std::string CommonName(const X509* certificate) {
  std::array<char, 256> name{};
  const int size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName,
                                             name.data(), static_cast<int>(name.size()));
  return size > 0 ? std::string(name.data(), static_cast<std::size_t>(size)) : "";
}

WallTime EndOf(const X509* certificate) {
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

/// Whether reading ended because there was nothing more to read.
bool AtEnd() {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

}  // namespace

Result<CertificateFacts> ReadCertificates(const std::string& pem) {
  const auto bio = Reading(pem);
  CertificateFacts facts;
  Sha256 digest;
  int count = 0;
  ERR_clear_error();
  while (const auto one =
             Certificate(PEM_read_bio_X509(bio.get(), nullptr, &NoPassword, nullptr))) {
    if (count++ == 0) {
      facts.subject = CommonName(one.get());
      facts.not_after = EndOf(one.get());
    }
    AddTo(digest, one.get());
  }
  if (!AtEnd()) {
    return Fail(ErrorCode::kInvalidArgument,
                "certificate " + std::to_string(count + 1) + " in it is damaged");
  }
  if (count == 0) return Fail(ErrorCode::kInvalidArgument, "there is no certificate (PEM) in it");
  facts.digest = digest.Finish();
  return facts;
}

Status CheckKeyPair(const std::string& certificate_pem, const std::string& key_pem) {
  const auto bio = Reading(key_pem);
  const std::unique_ptr<EVP_PKEY, Free> key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, &NoPassword, nullptr));
  ERR_clear_error();
  if (key == nullptr) {
    const bool encrypted = key_pem.find("ENCRYPTED") != std::string::npos;
    return Fail(ErrorCode::kInvalidArgument, encrypted
                                                 ? "the private key is encrypted with a password"
                                                 : "there is no private key (PEM) in it");
  }
  const auto chain = Reading(certificate_pem);
  const Certificate first(PEM_read_bio_X509(chain.get(), nullptr, &NoPassword, nullptr));
  const bool fits = first != nullptr && X509_check_private_key(first.get(), key.get()) == 1;
  ERR_clear_error();
  if (fits) return {};
  return Fail(ErrorCode::kInvalidArgument, "the private key is not that of the certificate");
}

}  // namespace kinetic::auth
