#include "base/python/entry_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(EntryPoints, ReadsConsoleAndGuiScripts) {
  EXPECT_THAT(
      ParseEntryPoints("[console_scripts]\r\na = m:f\n# b = m:f\n c.d=pkg.m : o.f [extra]\n\n"
                       "[gui_scripts]\nw = m:w\n[other]\nx = m:x\n"),
      ElementsAre(Pair("a", "m:f"), Pair("c.d", "pkg.m:o.f"), Pair("w", "m:w")));
}

TEST(EntryPoints, SkipsInvalidEntries) {
  EXPECT_THAT(
      ParseEntryPoints("a = m:f\n[console_scripts]\n../a = m:f\n.. = m:f\nb = m\nc = m:f()\n"
                       "d = m;import os:f\n = m:f\nno equals\n"),
      IsEmpty());
}

TEST(EntryPointScript, ImportsFirstNameAndCallsObject) {
  EXPECT_EQ(EntryPointScript("pkg.m:C.run"),
            "import sys\nfrom pkg.m import C\nif __name__ == \"__main__\":\n"
            "    sys.exit(C.run())\n");
}

}  // namespace
}  // namespace kinetic
