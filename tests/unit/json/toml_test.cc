#include "json/parse.h"

#include <gtest/gtest.h>

namespace kinetic::json {
namespace {

TEST(Toml, ReadsAProjectFile) {
  const auto value = ParseToml(
      "[project]\nname = 'x'\ndependencies = ['a>1', \"b\"]\nn = 3\nf = 1.5\nt = true\nd = "
      "2024-01-02\n[[tool.x]]\nk = 1\n");
  ASSERT_TRUE(value);
  const Value* project = value->Find("project");
  ASSERT_NE(project, nullptr);
  EXPECT_EQ(project->Find("dependencies")->ToJson(), R"(["a>1","b"])");
  EXPECT_EQ(project->Find("d")->ToJson(), R"("2024-01-02")");
  EXPECT_EQ(value->Find("tool")->ToJson(), R"({"x":[{"k":1}]})");
}

TEST(Toml, ErrorsHaveAPosition) {
  const auto value = ParseToml("a = 1\nb = = 2\n");
  ASSERT_FALSE(value);
  ASSERT_EQ(value.error().details.at(0).first, "line");
  EXPECT_EQ(value.error().details.at(0).second, "2");
}

TEST(Toml, RejectsWrongCharactersOutsideOfStrings) {
  for (const char* text : {"\xC3\xA9 = 1\n", "[\x06]\n", "[\x06\x06[a]]\n"})
    EXPECT_FALSE(ParseToml(text)) << text;
  EXPECT_EQ(*ParseToml("a = \"\xC3\xA9\"\n")->Find("a")->AsString(), "\xC3\xA9");
}

}  // namespace
}  // namespace kinetic::json
