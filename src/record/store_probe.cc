#include "record/store_probe.h"

#include "kinetic/try.h"

#include "base/random.h"
#include "record/object_names.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace kinetic::record {

Status ProbeStore(store::Store& store, std::stop_token stop) {
  const std::string name = fmt::format("{}doctor-{}", kImageLeasePrefix, RandomId());
  KINETIC_ASSIGN_OR_RETURN(const auto written,
                           store::PutBytes(store, name, "", store::Precondition::Absent(), stop));
  if (written) KINETIC_RETURN_IF_ERROR(store.RemoveIfUnchanged(*written, std::move(stop)));
  return {};
}

}  // namespace kinetic::record
