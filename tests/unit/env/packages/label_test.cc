#include "env/packages/label.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::env {
namespace {

using ::testing::IsEmpty;

LockedPackage VersionedPackage(std::string name, std::string version) {
  return {std::move(name), std::move(version), {}, {}};
}

LockedPackage Url(std::string name, std::string url) {
  return {std::move(name), {}, std::move(url), {}};
}

TEST(PackageLabel, IsReadAsItWasWritten) {
  const std::vector<LockedPackage> packages{
      VersionedPackage("idna", "3.7"), VersionedPackage("jaxlib", "0.4.30+cuda12"),
      VersionedPackage("old", "1!2.0"),
      Url("tool", "https://h.example/tool-1==2-py3-none-any.whl?x=1#y")};
  const std::string label = PackageLabel(packages);
  EXPECT_EQ(label,
            "idna==3.7 jaxlib==0.4.30+cuda12 old==1!2.0 "
            "tool@https://h.example/tool-1==2-py3-none-any.whl?x=1#y");
  EXPECT_EQ(PackagesInLabel(label), packages);
}

TEST(PackageLabel, OfNoPackagesIsEmpty) {
  EXPECT_THAT(PackageLabel({}), IsEmpty());
  ASSERT_TRUE(PackagesInLabel(""));
  EXPECT_THAT(*PackagesInLabel(""), IsEmpty());
}

TEST(PackageLabel, HasNothingThatEndsAStringOfADockerfile) {
  const std::string label = PackageLabel({Url("a", "https://h.example/$x \"\\\n`é")});
  EXPECT_EQ(label, "a@https://h.example/%24x%20%22%5C%0A%60%C3%A9");
}

TEST(PackageLabel, WhatIsNoneIsNotGuessedAt) {
  EXPECT_FALSE(PackagesInLabel("idna 3.7"));
  EXPECT_FALSE(PackagesInLabel("==3.7"));
}

}  // namespace
}  // namespace kinetic::env
