#include "job/submit/shared_arrays.h"

#include "kinetic/try.h"

#include "jobspec/check_value.h"
#include "record/array_references.h"
#include "record/object_names.h"

#include <string>
#include <utility>

namespace kinetic::job {

Result<Value> PutSharedArrays(store::Store& store, Value value, const std::stop_token& stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckValue(value, "value"));
  for (const auto& [digest, content] : record::ExtractArrays(value, record::ArrayUse::kShared)) {
    const std::string name = record::SharedArrayName(digest);
    KINETIC_ASSIGN_OR_RETURN(const auto existing, store::StatAndRenew(store, name, stop));
    if (!existing) KINETIC_RETURN_IF_ERROR(record::PutArray(store, name, content, stop));
  }
  return value;
}

Status RenewSharedArray(store::Store& store, const Digest& array, const std::stop_token& stop) {
  const std::string name = record::SharedArrayName(array);
  KINETIC_ASSIGN_OR_RETURN(const auto existing, store::StatAndRenew(store, name, stop));
  if (existing) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              name + " is no longer in the store: no job has used it for some time",
              "store the array again with Client::Put");
}

}  // namespace kinetic::job
