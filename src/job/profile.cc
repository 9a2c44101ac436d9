#include "kinetic/profile.h"

#include "base/try.h"
#include "store/bucket_location.h"

namespace kinetic {

bool IsInBucket(std::string_view store) { return store::IsBucketLocation(store); }

Status CheckBucketStore(std::string_view store) {
  KINETIC_RETURN_IF_ERROR(store::ParseBucketLocation(store));
  return {};
}

}  // namespace kinetic
