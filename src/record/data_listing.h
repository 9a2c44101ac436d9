#pragma once

#include "kinetic/result.h"

#include "base/digest.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::record {

/// The most objects that one listing holds.
inline constexpr std::size_t kMostListedObjects = 200'000;
/// The longest document of that many.
inline constexpr std::uint64_t kListingBytes = 256ULL << 20;

/// One generation of an object in a bucket, and where its content goes.
struct ListedObject {
  std::string path;  ///< in the data's folder: the object's name behind the listing's prefix
  std::uint64_t size_bytes = 0;
  std::int64_t generation = 0;
  std::string crc32c;  ///< base64
  bool operator==(const ListedObject&) const = default;
};

/// What a `data:` key names in a bucket, as it was when the job was submitted:
/// jobs/{id}/data/{nonce}/{sha256}. Paths are relative, without "." or "..", and none is a folder
/// of another.
struct DataListing {
  std::string bucket;
  std::string prefix;                 ///< of the objects' names; ends in '/', or is empty
  std::vector<ListedObject> objects;  ///< by path
  std::uint64_t Bytes() const;
};

/// UTF-8 JSON, a short list for each object. @source docs/reference/store.md, "Data in a bucket".
std::string ToJson(const DataListing& listing);

/// Checks paths too: nothing that a listing says leads out of its folder.
///
/// @errors  kDataLoss: no listing, or of a newer version; the message names the member.
Result<DataListing> DataListingFromJson(std::string_view json);

/// Why no listing can have these paths, which are sorted: one leads out of the folder, has a
/// control character, or is a file and a folder at once.
///
/// @errors  kInvalidArgument: the message names the path.
Status CheckPaths(const std::vector<ListedObject>& objects);

}  // namespace kinetic::record
