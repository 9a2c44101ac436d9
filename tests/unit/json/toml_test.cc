#include "json/parse.h"

#include <gtest/gtest.h>

#include <string>

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

std::string Times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Toml, LimitsTheDotsOfKeys) {
  const std::string deep = Times(20'000, "a.") + "a";
  for (const std::string& text :
       {deep + " = 1\n", "[" + deep + "]\n", "[[" + deep + "]]\n", "a = {" + deep + " = 1}\n",
        "a = [{b = 1}, {" + deep + " = 1}]\n", "x = '''\n.'\"\n'''\n" + deep + " = 1\n",
        "a = [\"\"\"x\"\"\"\", {" + deep + " = 1}]\n", "a = ['''x''''', {" + deep + " = 1}]\n",
        Times(20'000, "\"a\" . ") + "a = 1\n", "a = 1 # \"\n" + deep + " = 1\n",
        Times(100, "a." + Times(200, "b.") + "c = {") + "a = 1" + Times(100, "}") + "\n"}) {
    const auto value = ParseToml(text);
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().message, "a key has more than 256 dots");
  }
}

TEST(Toml, AcceptsDotsElsewhere) {
  const std::string deep = Times(20'000, "a.") + "a";
  const std::string most = Times(256, "a.") + "a";
  for (const std::string& text :
       {most + " = 1\n", "[" + most + "]\n" + most + " = 1\n",
        "a = [" + Times(2000, "1.5, [2.5, 3.5],\n") + "]\n", "a = '" + deep + "' # " + deep + "\n",
        "a = \"\"\"\n" + deep + "\\\"\"\"\"\n" + Times(2000, "[[b]]\nb.d = 1.5\n"),
        Times(2000, "[[a]]\nb.d = 1.5 # '\n"), "b = \"\\\\\"\n" + most + " = 1\n"}) {
    const auto value = ParseToml(text);
    EXPECT_TRUE(value) << value.error().message;
  }
}

TEST(Toml, LimitsNestedValues) {
  EXPECT_FALSE(ParseToml("a = " + Times(20'000, "[")));
  EXPECT_FALSE(ParseToml("a = " + Times(20'000, "{a=")));
}

TEST(Toml, RejectsWrongCharactersOutsideOfStrings) {
  for (const char* text : {"\xC3\xA9 = 1\n", "[\x06]\n", "[\x06\x06[a]]\n"})
    EXPECT_FALSE(ParseToml(text)) << text;
  EXPECT_EQ(*ParseToml("a = \"\xC3\xA9\"\n")->Find("a")->AsString(), "\xC3\xA9");
}

}  // namespace
}  // namespace kinetic::json
