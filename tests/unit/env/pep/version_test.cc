#include "env/pep/version.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::env {
namespace {

Version V(std::string_view text) {
  const auto version = Version::Parse(text);
  EXPECT_TRUE(version) << text;
  return version.value_or(Version());
}

bool Matches(std::string_view specifier, std::string_view version) {
  const auto set = SpecifierSet::Parse(specifier);
  EXPECT_TRUE(set) << specifier;
  return set && set->Matches(V(version));
}

TEST(Version, HasOneNormalForm) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"1.0", "1.0"},
      {" v1.0 ", "1.0"},
      {"1.0-RC.1", "1.0rc1"},
      {"1.0alpha", "1.0a0"},
      {"1.0.beta2", "1.0b2"},
      {"1.0pre3", "1.0rc3"},
      {"1.0-1", "1.0.post1"},
      {"1.0.rev4", "1.0.post4"},
      {"1.0r5", "1.0.post5"},
      {"1.0_dev", "1.0.dev0"},
      {"2!1.2", "2!1.2"},
      {"1.0+Ubuntu-1", "1.0+ubuntu.1"},
      {"1.0c1.post2.dev3", "1.0rc1.post2.dev3"},
      {"01.002", "1.2"}};
  for (const auto& [text, normal] : cases) EXPECT_EQ(V(text).ToString(), normal) << text;
}

TEST(Version, RejectsInvalidVersions) {
  for (const std::string_view text : {"", "x", "1.", "1..2", "1.0+", "1.0+a_", "1.0 1", "1.0foo",
                                      "1!", "99999999999999999999999"}) {
    EXPECT_FALSE(Version::Parse(text)) << text;
  }
}

TEST(Version, SortsByPep440) {
  const std::vector<std::string> ordered{"1.0.dev456",   "1.0a1",
                                         "1.0a2.dev456", "1.0a12.dev456",
                                         "1.0a12",       "1.0b1.dev456",
                                         "1.0b2",        "1.0b2.post345",
                                         "1.0rc1",       "1.0",
                                         "1.0+abc",      "1.0+abc.5",
                                         "1.0+5",        "1.0.post456.dev34",
                                         "1.0.post456",  "1.1.dev1",
                                         "1.10",         "1!0.1"};
  for (std::size_t i = 1; i < ordered.size(); ++i) {
    EXPECT_LT(V(ordered[i - 1]), V(ordered[i])) << ordered[i - 1] << " " << ordered[i];
  }
  EXPECT_EQ(V("1.0"), V("1.0.0"));
}

TEST(Specifier, Matches) {
  EXPECT_TRUE(Matches(">=1.0,<2", "1.9.9"));
  EXPECT_FALSE(Matches(">=1.0,<2", "2.0"));
  EXPECT_TRUE(Matches("~=1.4.2", "1.4.9"));
  EXPECT_FALSE(Matches("~=1.4.2", "1.5"));
  EXPECT_TRUE(Matches("~=2.2", "2.99"));
  EXPECT_FALSE(Matches("~=2.2", "2.1"));
  EXPECT_TRUE(Matches("==1.1.*", "1.1.post1"));
  EXPECT_FALSE(Matches("!=1.1.*", "1.1.3"));
  EXPECT_TRUE(Matches("==1.0", "1.0.0+cpu"));
  EXPECT_FALSE(Matches("==1.0+gpu", "1.0+cpu"));
  EXPECT_TRUE(Matches("===1.0", "1.0"));
  EXPECT_FALSE(Matches("===1.0", "1.0.0"));
  EXPECT_TRUE(Matches("", "3"));
}

TEST(Specifier, ExclusiveComparisonsOmitRelatedReleases) {
  EXPECT_FALSE(Matches("<2.0", "2.0rc1"));
  EXPECT_TRUE(Matches("<2.0rc2", "2.0rc1"));
  EXPECT_FALSE(Matches(">1.7", "1.7.post1"));
  EXPECT_FALSE(Matches(">1.7", "1.7+local"));
  EXPECT_TRUE(Matches(">1.7.post1", "1.7.post2"));
}

TEST(Specifier, HasOneNormalForm) {
  EXPECT_EQ(SpecifierSet::Parse(" >= 1.0 , <2,>=1.0,")->ToString(), "<2,>=1.0");
  EXPECT_EQ(SpecifierSet::Parse("==1.0")->Pinned(), "1.0");
  EXPECT_FALSE(SpecifierSet::Parse("==1.*")->Pinned());
  EXPECT_FALSE(SpecifierSet::Parse(">=1")->Pinned());
}

TEST(Specifier, ErrorHasReason) {
  EXPECT_EQ(SpecifierSet::Parse("1.0").error().message,
            "expected a comparison such as '>=1.0', found '1.0'");
  EXPECT_EQ(SpecifierSet::Parse(">=1.x").error().message, "'1.x' is not a version");
  EXPECT_EQ(SpecifierSet::Parse("~=1").error().message,
            "'~=1' requires a version with at least two parts");
  EXPECT_FALSE(SpecifierSet::Parse(">=1.*"));
}

}  // namespace
}  // namespace kinetic::env
