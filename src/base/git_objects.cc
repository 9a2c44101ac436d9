#include "base/git_objects.h"

#include <openssl/evp.h>

#include <memory>

#include <isa-l/igzip_lib.h>

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

std::optional<std::string> InflateStart(std::string_view compressed, std::size_t max_bytes) {
  const auto state = std::make_unique<inflate_state>();  // 80 KiB
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_ZLIB;
  std::string input(compressed);  // the library takes a pointer to mutable bytes
  std::string output(max_bytes, '\0');
  state->next_in = reinterpret_cast<std::uint8_t*>(input.data());
  state->avail_in = static_cast<std::uint32_t>(input.size());
  state->next_out = reinterpret_cast<std::uint8_t*>(output.data());
  state->avail_out = static_cast<std::uint32_t>(output.size());
  if (isal_inflate(state.get()) != ISAL_DECOMP_OK) return std::nullopt;
  if (state->block_state != ISAL_BLOCK_FINISH && state->avail_out > 0) return std::nullopt;
  output.resize(output.size() - state->avail_out);
  return output;
}

}  // namespace kinetic
