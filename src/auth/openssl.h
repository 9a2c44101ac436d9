#pragma once

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

}  // namespace kinetic::auth
