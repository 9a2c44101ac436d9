#include "support/gcs_server/checksums.h"

#include "base/strings.h"
#include "support/gcs_server/errors.h"

#include <openssl/evp.h>

#include <array>

namespace kinetic::gcs_server {
namespace {

constexpr std::size_t kCrc32cBytes = 4;
constexpr std::size_t kMd5Bytes = 16;

Outcome<void> Declare(std::optional<std::string>& sum, std::string_view text, std::size_t bytes,
                      const char* name) {
  const auto decoded = Base64Decode(text);
  if (!decoded || decoded->size() != bytes) {
    return Refuse(Invalid("Invalid value for " + std::string(name) + ": " + std::string(text)));
  }
  if (sum && *sum != text)
    return Refuse(Invalid(std::string(name) + " was given twice, differing"));
  sum = std::string(text);
  return {};
}

}  // namespace

Outcome<DeclaredSums> DeclaredSums::FromMetadata(const nlohmann::json& metadata) {
  DeclaredSums sums;
  for (const auto& [key, bytes] : {std::pair{"crc32c", kCrc32cBytes}, {"md5Hash", kMd5Bytes}}) {
    const auto found = metadata.find(key);
    if (found == metadata.end() || found->is_null()) continue;
    if (!found->is_string()) return Refuse(Invalid("Invalid value for " + std::string(key)));
    auto& sum = bytes == kMd5Bytes ? sums.md5 : sums.crc32c;
    if (auto declared = Declare(sum, found->get<std::string>(), bytes, key); !declared) {
      return Refuse(declared.error());
    }
  }
  return sums;
}

Outcome<void> DeclaredSums::Add(const http::Headers& headers) {
  const std::string all = headers.Joined("X-Goog-Hash");
  for (const std::string_view piece : Split(all, ',')) {
    const std::string_view sum = Trim(piece);
    Outcome<void> declared;
    if (sum.starts_with("crc32c="))
      declared = Declare(crc32c, sum.substr(7), kCrc32cBytes, "crc32c");
    if (sum.starts_with("md5=")) declared = Declare(md5, sum.substr(4), kMd5Bytes, "md5");
    if (!declared) return declared;
  }
  return {};
}

void Md5::Free::operator()(void* context) const {
  EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context));
}

Md5::Md5() : context_(EVP_MD_CTX_new()) {
  EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_.get()), EVP_md5(), nullptr);
}

void Md5::Update(std::string_view bytes) {
  EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_.get()), bytes.data(), bytes.size());
}

std::string Md5::Finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_.get()), digest.data(), &size);
  return Base64Encode({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace kinetic::gcs_server
