#include "env/python/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(VersionNumbers, EndBeforePrerelease) {
  EXPECT_THAT(VersionNumbers("3.12.4"), ElementsAre(3, 12, 4));
  EXPECT_THAT(VersionNumbers("3.14.0rc1"), ElementsAre(3, 14, 0));
  for (const char* const other : {"", "miniconda3", "3.13.0t", "3.14-dev", "3..1", "3.x"}) {
    EXPECT_THAT(VersionNumbers(other), IsEmpty()) << other;
  }
}

TEST(AllowsPython, AcceptsAnyMatchingPatch) {
  for (const char* const allowed :
       {"", ">=3.9", ">3.12", "<=3.12", ">= 3.12.3 , < 4", "==3.12.*", "~=3.10", "~=3.12.1", "===x",
        ">=3.12rc1", "!=3.12.0", ">=3.12.4", "==3.12.4", ">3.12.3,<3.12.5"}) {
    EXPECT_TRUE(AllowsPython(allowed, "3.12")) << allowed;
  }
  for (const char* const excluded : {">=3.13", "<3.12", "==3.11.*", "!=3.12.*", "~=3.13", ">=4",
                                     "==3.11.4", ">3.12.3,<3.12.4"}) {
    EXPECT_FALSE(AllowsPython(excluded, "3.12")) << excluded;
  }
}

}  // namespace
}  // namespace kinetic::env
