#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kinetic::store {

using Metadata = std::map<std::string, std::string>;

/// What a store records of an object in addition to its content.
struct ObjectInfo {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::int64_t generation = 0;      ///< changes whenever the content is replaced
  std::int64_t metageneration = 0;  ///< changes whenever the lease is set
  WallTime lease;      ///< set by the last put or touch, by the store's clock (custom time on GCS)
  Metadata metadata;   ///< at most kMetadataBytes in all
  std::string crc32c;  ///< of the content, as Crc32c::Base64; empty if the store does not record it
  std::string damage;  ///< why it cannot be read: "it is a symbolic link"; empty if it is intact
};

/// Returns kDataLoss, naming a damaged object and its damage.
Error DamageError(const ObjectInfo& info);

/// Folders at the root of a folder store that hold no objects. No object's name begins with them in
/// any store, so that objects can be copied between folder stores and bucket stores.
inline constexpr std::string_view kTemporaryFolder = ".tmp";
inline constexpr std::string_view kLockFolder = ".locks";

/// The object that makes a location a store and has the version of its format.
inline constexpr std::string_view kFormatObject = "format.json";

inline constexpr std::size_t kNameBytes = 1024;
inline constexpr std::size_t kMetadataBytes = 4096;

/// Checks that a name is valid for every Store.
///
/// @errors  kInvalidArgument; the message contains the reason.
Status CheckName(std::string_view name);

/// Checks that keys match [a-z0-9_-]+, values are UTF-8, and the total is at most kMetadataBytes.
///
/// @errors  kInvalidArgument; the message contains the reason.
Status CheckMetadata(std::string_view name, const Metadata& metadata);

}  // namespace kinetic::store
