#include "base/manylinux.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic {
namespace {

using ::testing::ElementsAre;

TEST(Manylinux, ListsTheNewestGlibcFirstWithLegacyTags) {
  EXPECT_THAT(ManylinuxTags(6, "x86_64"),
              ElementsAre("manylinux_2_6_x86_64", "manylinux_2_5_x86_64", "manylinux1_x86_64"));
  EXPECT_THAT(ManylinuxTags(17, "aarch64").at(1), "manylinux2014_aarch64");
}

TEST(Manylinux, EveryTagHasAGlibcVersion) {
  int last = 31;
  for (const auto& tag : ManylinuxTags(31, "x86_64")) {
    const auto minor = GlibcMinorOf(tag);
    ASSERT_TRUE(minor) << tag;
    EXPECT_LE(*minor, last) << tag;
    last = *minor;
  }
  EXPECT_EQ(last, 5);
  EXPECT_EQ(GlibcMinorOf("manylinux2010_i686"), 12);
}

TEST(Manylinux, RejectsOtherPlatforms) {
  for (const char* const tag :
       {"any", "linux_x86_64", "musllinux_1_2_x86_64", "manylinux_2_x_x86_64",
        "manylinux_3_1_x86_64", "manylinux", "", "manylinux_2_-3_x86_64"}) {
    EXPECT_FALSE(GlibcMinorOf(tag)) << tag;
  }
}

}  // namespace
}  // namespace kinetic
