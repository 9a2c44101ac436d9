#include "job/image_turn.h"

#include "local/processes.h"

#include <string>
#include <string_view>

namespace kinetic::job {
namespace {

bool IsGone(std::string_view client) {
  const auto other = local::SupervisorIdentityFromJson(client);
  const auto self = local::IdentifyThisProcess("");
  return other && self && other->boot_id == self->boot_id && !local::IsAlive(*other);
}

}  // namespace

store::Turn::Party PartyOfThisClient() {
  const auto self = local::IdentifyThisProcess("");
  return {.name = self ? local::ToJson(*self) : std::string(), .is_gone = IsGone, .on_wait = {}};
}

}  // namespace kinetic::job
