#include "base/hash/git_hash.h"

#include <openssl/evp.h>

namespace kinetic {

struct GitHash::Context {
  explicit Context(const EVP_MD* kind) { EVP_DigestInit_ex(evp, kind, nullptr); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_MD_CTX_free(evp); }
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
};

GitHash::GitHash(std::size_t id_bytes)
    : context_(std::make_unique<Context>(id_bytes == 20 ? EVP_sha1() : EVP_sha256())) {}
GitHash::~GitHash() = default;

GitHash& GitHash::Update(std::string_view bytes) {
  EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size());
  return *this;
}

std::string GitHash::Finish() {
  std::string id(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  EVP_DigestFinal_ex(context_->evp, reinterpret_cast<unsigned char*>(id.data()), &size);
  id.resize(size);
  return id;
}

}  // namespace kinetic
