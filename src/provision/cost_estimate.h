#pragma once

#include "kinetic/prices.h"

#include "base/time/clock.h"

#include <string>

namespace kinetic::provision {

/// Sets `oldest` to the date of a price that is older, or if it is empty.
void NoteDate(const Price& price, std::string& oldest);

/// Returns the hours since something was created, or since the current month (UTC) began.
double HoursThisMonth(WallTime created, WallTime now);

}  // namespace kinetic::provision
