#include "job/submit/shared_arrays.h"

#include "kinetic/try.h"

#include "base/hash/crc32c.h"
#include "jobspec/check_value.h"
#include "json/content.h"
#include "record/array_references.h"
#include "record/object_names.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::job {
namespace {

/// Returns whether an object may have this content, as far as the store knows without reading it.
bool MayContain(const store::ObjectInfo& object, const Bytes& content) {
  const json::Pieces pieces = json::Content::PiecesOf(content);
  std::uint64_t size_bytes = 0;
  Crc32c crc32c;
  for (const std::string_view piece : pieces) {
    size_bytes += piece.size();
    if (!object.crc32c.empty()) crc32c.Update(piece);
  }
  return object.damage.empty() && object.size_bytes == size_bytes &&
         (object.crc32c.empty() || object.crc32c == crc32c.Base64());
}

}  // namespace

Result<Value> PutSharedArrays(store::Store& store, Value value, const std::stop_token& stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckValue(value, "value"));
  for (const auto& [digest, content] : record::ExtractArrays(value, record::ArrayUse::kShared)) {
    const std::string name = record::SharedArrayName(digest);
    KINETIC_ASSIGN_OR_RETURN(const auto existing, store::StatAndRenew(store, name, stop));
    if (existing && MayContain(*existing, content)) continue;
    if (existing) KINETIC_RETURN_IF_ERROR(store.RemoveIfUnchanged(*existing, stop));
    KINETIC_RETURN_IF_ERROR(record::PutArray(store, name, content, stop));
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
