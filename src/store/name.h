#pragma once

#include "store/store.h"

#include <string_view>

namespace kinetic::store {

/// Folders at the root of a folder store that hold no objects; no object's name begins with them,
/// in any store, so that objects can be copied from one kind to the other.
inline constexpr std::string_view kTemporaryFolder = ".tmp";
inline constexpr std::string_view kLockFolder = ".locks";

inline constexpr std::size_t kNameBytes = 1024;
inline constexpr std::size_t kMetadataBytes = 4096;

/// @errors  kInvalidArgument: not a name as Store defines it; the message says why.
Status CheckName(std::string_view name);

/// Keys are of [a-z0-9_-], values UTF-8, all together at most kMetadataBytes. @errors
/// kInvalidArgument.
Status CheckMetadata(std::string_view name, const Metadata& metadata);

}  // namespace kinetic::store
