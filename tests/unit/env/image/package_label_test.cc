#include "env/image/stored_image.h"

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

TEST(PackageLabel, RoundTrips) {
  const std::vector<LockedPackage> packages{
      VersionedPackage("idna", "3.7"), VersionedPackage("jaxlib", "0.4.30+cuda12"),
      VersionedPackage("old", "1!2.0"),
      Url("tool", "https://h.example/tool-1==2-py3-none-any.whl?x=1#y")};
  const std::string label = PackageLabel(packages);
  EXPECT_EQ(label,
            "idna==3.7 jaxlib==0.4.30+cuda12 old==1!2.0 "
            "tool@https://h.example/tool-1==2-py3-none-any.whl?x=1#y");
  EXPECT_EQ(ParsePackageLabel(label), packages);
}

TEST(PackageLabel, IsEmptyWithoutPackages) {
  EXPECT_THAT(PackageLabel({}), IsEmpty());
  ASSERT_TRUE(ParsePackageLabel(""));
  EXPECT_THAT(*ParsePackageLabel(""), IsEmpty());
}

TEST(PackageLabel, EscapesCharactersOfStrings) {
  const std::string label = PackageLabel({Url("a", "https://h.example/$x \"\\\n`é")});
  EXPECT_EQ(label, "a@https://h.example/%24x%20%22%5C%0A%60%C3%A9");
}

TEST(PackageLabel, RejectsInvalidLabels) {
  EXPECT_FALSE(ParsePackageLabel("idna 3.7"));
  EXPECT_FALSE(ParsePackageLabel("==3.7"));
}

}  // namespace
}  // namespace kinetic::env
