#include "env/resolve/uv_warnings.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;

TEST(UvWarnings, AreUniqueLinesWithoutExcerpts) {
  const test::TempTree tree;
  auto log = InstallerLog::Create(PosixFileSystem(), tree / "x.log", {}, nullptr);
  for (int command = 0; command < 2; ++command) {
    log->Write(
        "warning: Failed to parse `pyproject.toml` during settings discovery:\n"
        "  TOML parse error at line 6, column 1\n"
        "    |\n"
        "  6 | typo=1\n"
        "    | ^^^^\n"
        "  unknown field `typo`, expected one of `required-version`, `offline`\n\n"
        "Resolved 1 package in 12ms\n"
        "  warning: in the output of a build\n");
  }
  log->Write(
      "warning: `six==1.0` is yanked (reason: broken)\n"
      "warning: The `--pylock` option is experimental and may change without warning. Pass x.\n");
  EXPECT_THAT(UvWarnings(*log),
              ElementsAre("Failed to parse `pyproject.toml` during settings discovery: TOML parse "
                          "error at line 6, column 1: unknown field `typo`",
                          "`six==1.0` is yanked (reason: broken)"));
}

}  // namespace
}  // namespace kinetic::env
