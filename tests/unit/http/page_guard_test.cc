#include "http/page_guard.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::http {
namespace {

TEST(PageGuard, BoundsEmptyPages) {
  PageGuard guard("listing x");
  for (int page = 0; page < 5'000; ++page) {
    ASSERT_TRUE(guard.Check(std::to_string(page), page % 999 != 0)) << page;
  }
  PageGuard endless("listing x");
  int pages = 1;
  while (endless.Check(std::to_string(pages), true)) ++pages;
  EXPECT_EQ(pages, 1'000);
}

TEST(PageGuard, RejectsARepeatedToken) {
  PageGuard guard("listing x");
  EXPECT_TRUE(guard.Check("a", false));
  EXPECT_TRUE(guard.Check("b", false));
  const Status repeated = guard.Check("a", false);
  ASSERT_FALSE(repeated);
  EXPECT_EQ(repeated.error().message, "listing x: the server sent the same page token twice");
}

}  // namespace
}  // namespace kinetic::http
