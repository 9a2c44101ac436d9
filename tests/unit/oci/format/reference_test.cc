#include "oci/format/reference.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::oci {
namespace {

std::string Full(std::string_view text) {
  const auto reference = ParseReference(text);
  return reference ? reference->Text() : "refused";
}

TEST(Reference, ExpandsLikeContainerd) {
  EXPECT_EQ(Full("kinetic-runner"), "docker.io/library/kinetic-runner");
  EXPECT_EQ(Full("kinetic-runner:1.0"), "docker.io/library/kinetic-runner:1.0");
  EXPECT_EQ(Full("team/runner"), "docker.io/team/runner");
  EXPECT_EQ(Full("docker.io/runner:x"), "docker.io/library/runner:x");
  EXPECT_EQ(Full("localhost/runner"), "localhost/runner");
  EXPECT_EQ(Full("localhost:5000/runner:1"), "localhost:5000/runner:1");
  EXPECT_EQ(Full("10.0.0.1:5000/a/b/c:T_1.x-y"), "10.0.0.1:5000/a/b/c:T_1.x-y");
  EXPECT_EQ(Full("europe-docker.pkg.dev/project/folder/image"),
            "europe-docker.pkg.dev/project/folder/image");
  EXPECT_EQ(Full("a__b/c--d/e.f_g"), "docker.io/a__b/c--d/e.f_g");
}

TEST(Reference, RejectsInvalidNames) {
  for (const std::string text :
       {"",           ":",      "a:",         ":tag",        "/a",
        "a/",         "a//b",   "Upper",      "a.",          "-a",
        "a___b",      "a..b",   "a._b",       "a b",         "a:tag with space",
        "a:-tag",     "a:.tag", "host.name/", "ho$t.name/a", "\xC3\xBC",
        "a@sha256:00"})
    EXPECT_EQ(Full(text), "refused") << text;
  EXPECT_EQ(Full("a:" + std::string(129, 't')), "refused");
  EXPECT_NE(Full("a:" + std::string(128, 't')), "refused");
  EXPECT_EQ(Full(std::string(300, 'a')), "refused");
}

}  // namespace
}  // namespace kinetic::oci
