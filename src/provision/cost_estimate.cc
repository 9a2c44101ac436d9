#include "provision/cost_estimate.h"

#include <algorithm>
#include <chrono>

namespace kinetic::provision {

void NoteDate(const Price& price, std::string& oldest) {
  if (oldest.empty() || price.date < oldest) oldest = price.date;
}

double HoursThisMonth(WallTime created, WallTime now) {
  const std::chrono::year_month_day today(std::chrono::floor<std::chrono::days>(now));
  const WallTime month = std::chrono::sys_days(today.year() / today.month() / 1);
  const std::chrono::duration<double, std::ratio<3600>> hours = now - std::max(created, month);
  return std::max(hours.count(), 0.0);
}

}  // namespace kinetic::provision
