#include "output/table.h"

#include <gtest/gtest.h>

namespace kinetic::cli {
namespace {

Table Small() {
  return {.headings = {"ID", "NAME", "REASON"},
          .rows = {{Cell("a-1"), Cell("über"), Cell("killed by the memory limit", Role::kBad)},
                   {Cell("long-2"), Cell("x"), Cell("")}}};
}

TEST(Table, ColumnsAreAsWideAsTheirWidestCell) {
  EXPECT_EQ(FormatTable(Small(), {}, 0),
            "ID      NAME  REASON\n"
            "a-1     über  killed by the memory limit\n"
            "long-2  x\n");
}

TEST(Table, TheLastColumnIsShortened) {
  EXPECT_EQ(FormatTable(Small(), {.unicode = true}, 24),
            "ID      NAME  REASON\n"
            "a-1     über  killed by…\n"
            "long-2  x\n");
}

TEST(Table, ColoursTakeNoRoom) {
  const std::string text = FormatTable(Small(), {.color = true}, 0);
  EXPECT_NE(text.find("\x1b[1mID\x1b[0m      "), std::string::npos);
  EXPECT_NE(text.find("\x1b[1;31mkilled by the memory limit\x1b[0m\n"), std::string::npos);
}

TEST(Table, ACellCannotBreakALine) {
  const Table table{.headings = {"A"}, .rows = {{Cell("x\ny\x1b[0m")}}};
  EXPECT_EQ(FormatTable(table, {}, 0), "A\nx\\x0ay\\x1b[0m\n");
}

}  // namespace
}  // namespace kinetic::cli
