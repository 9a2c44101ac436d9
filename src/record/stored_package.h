#pragma once

#include "kinetic/result.h"

#include "base/digest.h"
#include "store/store.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::record {

/// What packages/{key} and environments/{key} say: that installing one thing, a package or all of
/// an environment, gave a tree. Whether that tree is still in the store is for the store to say.
struct StoredPackage {
  std::string name;  ///< for people: "numpy 2.1.0"
  Digest tree;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  bool operator==(const StoredPackage&) const = default;
};

std::string ToJson(const StoredPackage& package);
/// @errors  kDataLoss: no such document, or of a newer version.
Result<StoredPackage> StoredPackageFromJson(std::string_view json);

/// Reads the document of that name; what is used is needed, so that its lease is renewed when it is
/// some days old. Nothing: it is not there.
///
/// @errors  kDataLoss, naming the object · those of Store.
Result<std::optional<StoredPackage>> ReadStoredPackage(store::Store& store, std::string_view object,
                                                       std::stop_token stop);

/// Puts a document, in place of one that is there.
Status WriteStoredPackage(store::Store& store, std::string_view object,
                          const StoredPackage& package, std::stop_token stop);

/// The trees that the documents under packages/ name whose lease is younger than `stays`. One that
/// cannot be read keeps nothing: what it named is made again.
Result<std::set<Digest>> TreesOfPackages(store::Store& store, std::chrono::hours stays,
                                         std::stop_token stop);

}  // namespace kinetic::record
