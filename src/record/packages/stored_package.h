#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "store/object_store.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::record {

/// The contents of packages/{key} and environments/{key}: the tree of an installed package or of a
/// whole environment. The tree itself may have been removed from the store.
struct StoredPackage {
  std::string name;  ///< for display: "numpy 2.1.0"
  Digest tree;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  bool operator==(const StoredPackage&) const = default;
};

std::string ToJson(const StoredPackage& package);
/// @errors  kDataLoss: not such a document, or of a newer version.
Result<StoredPackage> StoredPackageFromJson(std::string_view json);

/// Reads the document `object`, and renews its lease if it is some days old. Returns nullopt if it is
/// absent.
///
/// @errors  kDataLoss, naming the object · those of Store.
Result<std::optional<StoredPackage>> ReadStoredPackage(store::Store& store, std::string_view object,
                                                       std::stop_token stop);

/// Creates or replaces the document `object`.
Status WriteStoredPackage(store::Store& store, std::string_view object,
                          const StoredPackage& package, std::stop_token stop);

}  // namespace kinetic::record
