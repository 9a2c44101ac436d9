#include "store/age.h"

#include "kinetic/try.h"

#include "base/strings.h"

#include <fmt/format.h>

#include <string_view>

namespace kinetic::store {
namespace {

Status CheckAgreement(const Store& store, WallTime now, std::string_view whose, WallTime other) {
  const auto ahead = std::chrono::duration_cast<std::chrono::milliseconds>(other - now);
  if (std::chrono::abs(ahead) <= kMaxClockDifference) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("cannot determine ages: {} is {} {} the clock of {}", whose,
                          FormatDuration(std::chrono::abs(ahead)),
                          ahead.count() > 0 ? "ahead of" : "behind", store.Location()),
              "set the wrong clock, for example with 'timedatectl set-ntp true'");
}

}  // namespace

Result<WallTime> AgreedNow(Store& store, const Clock& clock, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store.ExactNow(stop));
  KINETIC_RETURN_IF_ERROR(CheckAgreement(store, now, "this machine's clock", clock.Now()));
  KINETIC_ASSIGN_OR_RETURN(const WallTime told, store.Now(stop));
  KINETIC_RETURN_IF_ERROR(CheckAgreement(store, now, "the 'Date' of a response", told));
  return now;
}

}  // namespace kinetic::store
