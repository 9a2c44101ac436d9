#include "env/pep/requirement.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::env {
namespace {

bool Holds(std::string_view text, std::string_view python = "3.12",
           std::string_view platform = "linux-x86_64") {
  const auto marker = Marker::Parse(text);
  EXPECT_TRUE(marker) << text << ": " << (marker ? "" : marker.error().message);
  return marker && marker->Evaluate(MarkerEnvironment::For(python, platform));
}

std::string NormalMarker(std::string_view text) {
  const auto marker = Marker::Parse(text);
  return marker ? marker->ToString() : "error: " + marker.error().message;
}

TEST(Marker, ComparesVersionsAsVersions) {
  EXPECT_TRUE(Holds("python_version >= '3.9'"));
  EXPECT_FALSE(Holds("python_version < '3.9'"));
  EXPECT_TRUE(Holds("python_version < '3.10'", "3.9"));
  EXPECT_TRUE(Holds("'3.9' <= python_version"));
  EXPECT_FALSE(Holds("'3.13' <= python_version"));
  EXPECT_TRUE(Holds("python_version ~= '3.8'"));
  EXPECT_TRUE(Holds("python_version == '3.*'"));
  EXPECT_TRUE(Holds("python_full_version >= '3.12'"));
  EXPECT_FALSE(Holds("python_full_version >= '3.12.1'"));
  EXPECT_TRUE(Holds("python_full_version < '3.12.5'"));
  EXPECT_TRUE(Holds("python_full_version >= '3.12.1'", "3.12.4"));
}

TEST(Marker, ComparesOtherVariablesAsStrings) {
  EXPECT_TRUE(Holds("sys_platform == 'linux'"));
  EXPECT_TRUE(Holds("sys_platform == 'darwin'", "3.12", "darwin-arm64"));
  EXPECT_TRUE(Holds("platform_system == 'Linux' and platform_machine == 'x86_64'"));
  EXPECT_TRUE(Holds("platform_machine == 'aarch64'", "3.12", "linux-aarch64"));
  EXPECT_TRUE(Holds("os_name == \"posix\" and implementation_name != 'pypy'"));
  EXPECT_TRUE(Holds("platform_python_implementation == 'CPython'"));
  EXPECT_TRUE(Holds("os_name == 'nt'", "3.12", "windows-AMD64"));
}

TEST(Marker, EvaluatesInAndNotIn) {
  EXPECT_TRUE(Holds("sys_platform in 'linux darwin'"));
  EXPECT_FALSE(Holds("sys_platform not   in 'linux darwin'"));
  EXPECT_TRUE(Holds("python_version in '3.11 3.12'"));
  EXPECT_TRUE(Holds("'win' not in sys_platform"));
}

TEST(Marker, AndBindsBeforeOr) {
  EXPECT_TRUE(Holds("os_name == 'posix' or os_name == 'a' and os_name == 'b'"));
  EXPECT_FALSE(Holds("(os_name == 'posix' or os_name == 'a') and os_name == 'b'"));
  EXPECT_TRUE(Holds("(((os_name == 'posix')))"));
}

TEST(Marker, EvaluatesExtras) {
  auto environment = MarkerEnvironment::For("3.12", "linux-x86_64");
  const auto marker = Marker::Parse("extra == 'Fast_Path'");
  ASSERT_TRUE(marker);
  EXPECT_FALSE(marker->Evaluate(environment));
  environment.extras.insert("fast-path");
  EXPECT_TRUE(marker->Evaluate(environment));
  EXPECT_FALSE(Marker::Parse("extra != 'fast-path'")->Evaluate(environment));
}

TEST(Marker, AcceptsLegacyNames) {
  EXPECT_TRUE(Holds("os.name == 'posix' and sys.platform == 'linux'"));
  EXPECT_EQ(NormalMarker("python_implementation=='CPython'"),
            "platform_python_implementation == \"CPython\"");
}

TEST(Marker, HasOneNormalForm) {
  EXPECT_EQ(NormalMarker("python_version<'3.9'   and(os_name=='nt')"),
            "python_version < \"3.9\" and os_name == \"nt\"");
  EXPECT_EQ(NormalMarker("(os_name == 'a' and os_name == 'b') and os_name == 'c'"),
            "os_name == \"a\" and os_name == \"b\" and os_name == \"c\"");
  EXPECT_EQ(NormalMarker("os_name == 'a' and (os_name == 'b' or os_name == 'c')"),
            "os_name == \"a\" and (os_name == \"b\" or os_name == \"c\")");
  EXPECT_EQ(NormalMarker("os_name == 'say \"x\"'"), "os_name == 'say \"x\"'");
}

TEST(Marker, ErrorHasOffset) {
  const auto marker = Marker::Parse("os_name == 'a' and wrong == 'b'");
  ASSERT_FALSE(marker);
  EXPECT_EQ(marker.error().message,
            "marker: expected a variable such as python_version, or a quoted string, found "
            "'wrong == 'b''");
  EXPECT_EQ(marker.error().details.at(0).second, "19");
  for (const std::string_view text :
       {"", "os_name", "os_name ==", "os_name == 'a", "os_name = 'a'", "(os_name == 'a'",
        "os_name == 'a')", "os_name == 'a' os_name == 'b'", "'a' == 'b'", "os_name not 'a'"}) {
    EXPECT_FALSE(Marker::Parse(text)) << text;
  }
}

TEST(Marker, LimitsNesting) { EXPECT_FALSE(Marker::Parse(std::string(100'000, '('))); }

}  // namespace
}  // namespace kinetic::env
