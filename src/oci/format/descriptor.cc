#include "oci/format/descriptor.h"

namespace kinetic::oci {

std::optional<Digest> ParseDigest(std::string_view text) {
  constexpr std::string_view kAlgorithm = "sha256:";
  if (!text.starts_with(kAlgorithm)) return std::nullopt;
  return Digest::FromHex(text.substr(kAlgorithm.size()));
}

}  // namespace kinetic::oci
