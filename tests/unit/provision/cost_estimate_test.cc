#include "provision/cost_estimate.h"

#include <gmock/gmock.h>

namespace kinetic::provision {
namespace {

double Hours(std::string_view created, std::string_view now) {
  return HoursThisMonth(*ParseTime(created), *ParseTime(now));
}

TEST(CostEstimate, CountsFromCreation) {
  EXPECT_DOUBLE_EQ(Hours("2026-11-03T10:00:00Z", "2026-11-04T11:30:00Z"), 25.5);
}

TEST(CostEstimate, CountsFromTheBeginningOfTheMonth) {
  EXPECT_DOUBLE_EQ(Hours("2026-02-27T10:00:00Z", "2026-03-01T02:00:00Z"), 2);
  EXPECT_DOUBLE_EQ(Hours("2026-10-27T10:00:00Z", "2026-11-01T00:00:00Z"), 0);
}

TEST(CostEstimate, FutureCreationIsFree) {
  EXPECT_DOUBLE_EQ(Hours("2026-11-04T10:00:00Z", "2026-11-04T09:59:00Z"), 0);
}

}  // namespace
}  // namespace kinetic::provision
