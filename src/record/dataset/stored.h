#pragma once

#include "kinetic/data.h"

#include "base/hash/digest.h"
#include "store/object_store.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::record {

/// Writes the document of a data set: data/{name}.
std::string ToJson(const DataSet& data);

/// @errors  kDataLoss: not a data set, or of a newer version.
Result<DataSet> DataSetFromJson(std::string_view json);

/// A data set and the generation of its document.
struct StoredDataSet {
  DataSet data;
  Digest tree;
  std::int64_t generation = 0;
};

/// Returns nullopt if the data set does not exist.
///
/// @errors  kDataLoss, naming the object.
Result<std::optional<StoredDataSet>> ReadDataSet(store::Store& store, std::string_view name,
                                                 std::stop_token stop);

/// Returns all data sets of a store, sorted by name.
Result<std::vector<StoredDataSet>> ListDataSets(store::Store& store, std::stop_token stop);

}  // namespace kinetic::record
