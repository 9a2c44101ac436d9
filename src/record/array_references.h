#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "record/job_record.h"
#include "store/object_store.h"

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

/// Large arrays in arguments are objects of their own, to which the arguments document refers:
/// `{"$npy": {"$ref": sha256}}` if it is the job's, `{"$npy": {"$shared": sha256}}` if Client::Put stored
/// it. See docs/reference/values.md, "Arguments".
namespace kinetic::record {

/// The content of .npy files by its SHA-256.
using ArrayContents = std::map<Digest, Bytes>;

/// Who uses an array that arguments refer to: one job, or any number of them.
enum class ArrayUse : std::uint8_t { kOwn, kShared };

struct ArrayReference {
  Digest digest;
  ArrayUse use = ArrayUse::kOwn;
  bool operator==(const ArrayReference&) const = default;
};

/// Replaces arrays above 48 KiB by references, and returns their content.
ArrayContents ExtractArrays(Arguments& args);
ArrayContents ExtractArrays(Value& value, ArrayUse use);

/// Returns the arrays that the arguments refer to.
std::vector<ArrayReference> ReferredArrays(const Arguments& args);

/// Returns the name of the object that contains an array.
std::string NameOf(const ArrayReference& array, const Record& record);

/// Creates an object with an array unless it exists.
Status PutArray(store::Store& store, const std::string& name, const Bytes& content,
                const std::stop_token& stop);

/// Replaces the references to arrays by their content.
///
/// @param most    kOwn: keeps the references to shared arrays.
/// @errors  kDataLoss: an array is missing or damaged · those of Store.
Status LoadArrays(store::Store& store, const Record& record, Arguments& args, ArrayUse most,
                  const std::stop_token& stop);

/// Returns the reference to an array that a value consists of, or nullopt.
std::optional<ArrayReference> ReferredArray(const Value& value);

}  // namespace kinetic::record
