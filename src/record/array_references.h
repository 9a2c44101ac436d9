#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "record/job_record.h"
#include "store/object_store.h"

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

/// Large arrays in arguments are objects of their own, to which the arguments document refers:
/// `{"$npy": {"$ref": sha256}}`. See docs/reference/values.md, "Arguments".
namespace kinetic::record {

/// The content of .npy files by its SHA-256.
using ArrayContents = std::map<Digest, Bytes>;

/// Replaces arrays above 48 KiB by references, and returns their content.
ArrayContents ExtractArrays(Arguments& args);

/// Returns the arrays that the arguments refer to.
std::vector<Digest> ReferredArrays(const Arguments& args);

/// Replaces the references to arrays by their content.
///
/// @errors  kDataLoss: an array is missing or damaged · those of Store.
Status LoadArrays(store::Store& store, const Record& record, Arguments& args,
                  const std::stop_token& stop);

/// Returns the digest of a reference to an array, `{"$npy": {"$ref": sha256}}`, or nullopt.
std::optional<Digest> ReferredArray(const Value& value);

}  // namespace kinetic::record
