#include "base/hash/digest.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <cstring>
#include <utility>

namespace kinetic {
namespace {

int NibbleOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void KeepOpenSslAtExit() {
  [[maybe_unused]] static const int kDone = OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
}

struct Sha256::Context {
  EVP_MD_CTX* evp;
  Context() {
    KeepOpenSslAtExit();
    evp = EVP_MD_CTX_new();
    Start();
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_MD_CTX_free(evp); }
  void Start() const { EVP_DigestInit_ex(evp, EVP_sha256(), nullptr); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

Sha256& Sha256::Update(std::string_view bytes) {
  EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size());
  return *this;
}

Digest Sha256::Current() const {
  const Context copy;
  Digest digest;
  EVP_MD_CTX_copy_ex(copy.evp, context_->evp);
  EVP_DigestFinal_ex(copy.evp, digest.bytes.data(), nullptr);
  return digest;
}

Digest Sha256::Finish() {
  Digest digest;
  EVP_DigestFinal_ex(context_->evp, digest.bytes.data(), nullptr);
  context_->Start();
  return digest;
}

Digest Sha256::Of(std::string_view bytes) { return Sha256().Update(bytes).Finish(); }

std::string Digest::Hex() const { return ToHex(View()); }

std::optional<Digest> Digest::FromHex(std::string_view hex) {
  Digest digest;
  if (hex.size() != digest.bytes.size() * 2) return std::nullopt;
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    const int high = NibbleOf(hex[2 * i]);
    const int low = NibbleOf(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return digest;
}

std::optional<Digest> Digest::FromBytes(std::string_view bytes) {
  Digest digest;
  if (bytes.size() != digest.bytes.size()) return std::nullopt;
  std::memcpy(digest.bytes.data(), bytes.data(), bytes.size());
  return digest;
}

Digest PiecewiseSha256::Add(std::string_view piece) {
  constexpr std::size_t kParallelBytes = 512 << 10;  // starting a thread takes as long as 64 KiB
  if (std::exchange(is_first_, false)) return whole_.Update(piece).Current();
  Digest digest;
  const auto hash = [&](std::size_t part, const std::stop_token&) -> Status {
    if (part == 0) whole_.Update(piece);
    if (part == 1) digest = Sha256::Of(piece);
    return {};
  };
  constexpr std::size_t kParts = 2;
  (void)ParallelFor(piece.size() < kParallelBytes ? 1 : kParts, kParts, {}, hash);
  return digest;
}

Digest PiecewiseSha256::Finish() { return whole_.Finish(); }

}  // namespace kinetic
