#pragma once

#include "kinetic/prices.h"

#include "base/time/clock.h"

#include <string>

namespace kinetic::provision {

/// Sets `tpu_date` to the date of a price that is newer than the list of this version.
void NoteNewerDate(const Price& price, std::string& tpu_date);

/// Returns the hours since something was created, or since the current month (UTC) began.
double HoursThisMonth(WallTime created, WallTime now);

}  // namespace kinetic::provision
