#pragma once

#include "base/hash/digest.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic::oci {

/// What one document of an image says of another, or of a layer.
///
/// @source  https://github.com/opencontainers/image-spec/blob/v1.1.0/descriptor.md
struct Descriptor {
  std::string_view media_type;  ///< of media_types.h
  Digest digest;
  std::uint64_t size_bytes = 0;
};

/// "sha256:…", as images name everything.
inline std::string NameOf(const Digest& digest) { return "sha256:" + digest.Hex(); }

}  // namespace kinetic::oci
