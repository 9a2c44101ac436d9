
#include "job/images/lease.h"

#include "local/process_identity.h"

#include <string>
#include <string_view>

namespace kinetic::job {
namespace {

bool IsClientDead(std::string_view client) {
  const auto other = local::SupervisorIdentityFromJson(client);
  const auto self = local::IdentifyThisProcess("");
  return other && self && other->boot_id == self->boot_id && !local::IsAlive(*other);
}

}  // namespace

store::AdvisoryLease::Client LeaseClient() {
  const auto self = local::IdentifyThisProcess("");
  return {
      .name = self ? local::ToJson(*self) : std::string(), .is_dead = IsClientDead, .on_wait = {}};
}

}  // namespace kinetic::job
