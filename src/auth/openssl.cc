#include "auth/pem.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace kinetic::auth {

void OpenSslDeleter::operator()(bio_st* bio) const { BIO_free(bio); }
void OpenSslDeleter::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }
void OpenSslDeleter::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }
void OpenSslDeleter::operator()(x509_st* certificate) const { X509_free(certificate); }

int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user_data*/) { return -1; }

OpenSslPtr<bio_st> ReaderOf(const std::string& pem) {
  return OpenSslPtr<bio_st>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

OpenSslPtr<evp_pkey_st> ReadPrivateKey(const std::string& pem) {
  const auto reader = ReaderOf(pem);
  return OpenSslPtr<evp_pkey_st>(
      PEM_read_bio_PrivateKey(reader.get(), nullptr, &NoPassword, nullptr));
}

}  // namespace kinetic::auth
