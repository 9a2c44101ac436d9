#pragma once

#include "kinetic/datasets.h"
#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "store/object_store.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::record {

/// The maximum number of objects in a listing.
inline constexpr std::size_t kMaxListedObjects = 200'000;
/// The maximum size of the document.
inline constexpr std::uint64_t kListingBytes = 256ULL << 20;

/// One generation of an object in a bucket, and the path of its content.
struct ListedObject {
  std::string path;  ///< the object's name after the listing's prefix
  std::uint64_t size_bytes = 0;
  std::int64_t generation = 0;
  std::string crc32c;  ///< base64
  bool operator==(const ListedObject&) const = default;
};

/// The contents of jobs/{id}/data/{nonce}/{sha256}: the objects of a `data:` key in a bucket when
/// the job was submitted. Paths are relative and have no "." or ".." part. No path is a folder of
/// another.
struct DataListing {
  std::string bucket;
  std::string prefix;                 ///< of the objects' names; empty, or ends with '/'
  std::vector<ListedObject> objects;  ///< sorted by path
  std::uint64_t Bytes() const;
};

/// Writes the document: docs/reference/store.md, "Data in a bucket".
std::string ToJson(const DataListing& listing);

/// Parses the document, and checks its paths with CheckPaths.
///
/// @errors  kDataLoss: not a listing; the message names the field · kFailedPrecondition: of a newer
///          version.
Result<DataListing> DataListingFromJson(std::string_view json);

/// Checks sorted paths: each is inside the folder, has no control character, and is not both a file
/// and a folder.
///
/// @errors  kInvalidArgument: the message names the path.
Status CheckPaths(const std::vector<ListedObject>& objects);

/// Writes the document of a dataset: data/{name}.
std::string ToJson(const Dataset& data);

/// @errors  kDataLoss: not a dataset · kFailedPrecondition: of a newer version.
Result<Dataset> DataSetFromJson(std::string_view json);

/// A dataset and the generation of its document.
struct StoredDataSet {
  Dataset data;
  Digest tree;
  std::int64_t generation = 0;
};

/// Returns nullopt if the dataset does not exist.
///
/// @errors  kDataLoss, naming the object.
Result<std::optional<StoredDataSet>> ReadDataSet(store::Store& store, std::string_view name,
                                                 std::stop_token stop);

/// The datasets of a store.
struct DataSetListing {
  std::vector<StoredDataSet> sets;  ///< sorted by name
  std::vector<Error> damaged;       ///< one for each object that is not a dataset
};

/// Lists all datasets of a store.
Result<DataSetListing> ListDataSets(store::Store& store, std::stop_token stop);

}  // namespace kinetic::record
