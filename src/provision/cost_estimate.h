#pragma once

#include "base/time/clock.h"

namespace kinetic::provision {

/// Returns the hours since something was created, or since the current month (UTC) began.
double HoursThisMonth(WallTime created, WallTime now);

}  // namespace kinetic::provision
