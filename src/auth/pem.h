#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "base/time/clock.h"

#include <memory>
#include <string>

// As OpenSSL declares BIO, EVP_MD_CTX, EVP_PKEY and X509, whose headers are large.
struct bio_st;
struct evp_md_ctx_st;
struct evp_pkey_st;
struct x509_st;

namespace kinetic::auth {

struct OpenSslDeleter {
  void operator()(bio_st* bio) const;
  void operator()(evp_md_ctx_st* context) const;
  void operator()(evp_pkey_st* key) const;
  void operator()(x509_st* certificate) const;
};
template <typename T>
using OpenSslPtr = std::unique_ptr<T, OpenSslDeleter>;

/// A password callback that has none. Without it OpenSSL asks the terminal for the password of an
/// encrypted key.
int NoPassword(char* buffer, int size, int writing, void* user_data);

/// Returns a reader of `pem`, which must outlive it.
OpenSslPtr<bio_st> ReaderOf(const std::string& pem);

/// Returns the first private key in `pem`, or null if it has none that is not encrypted.
OpenSslPtr<evp_pkey_st> ReadPrivateKey(const std::string& pem);

/// Properties of a certificate chain. The first certificate is the owner's.
struct CertificateInfo {
  std::string subject;  ///< common name of the first certificate; may be empty
  WallTime not_after;   ///< of the first certificate
  Digest digest;        ///< of the DER encodings of all certificates
};

/// Parses concatenated PEM certificates and ignores text between them.
///
/// @errors  kInvalidArgument: no certificate, or an invalid one.
/// @source  RFC 7468
Result<CertificateInfo> ReadCertificates(const std::string& pem);

/// Checks that `key_pem` is the private key of the first certificate.
///
/// @errors  kInvalidArgument: no key, an encrypted key, or the key of another certificate.
Status CheckKeyPair(const std::string& certificate_pem, const std::string& key_pem);

}  // namespace kinetic::auth
