#include "output/table.h"

#include "output/text.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

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

Table Jobs() {
  return {.headings = {"ID", "NAME", "STATE", "OWNER", "REASON"},
          .rows = {{Cell("c5xk2w7qpzr3vmt4"), Cell("train"), Cell("failed"), Cell("ana@laptop"),
                    Cell("killed by the memory limit")},
                   {Cell("w2kz5hq7tnx4mbv3"), Cell("eval"), Cell("running"), Cell("ana@laptop"),
                    Cell("")}},
          .droppable = {"OWNER", "REASON", "NAME"}};
}

TEST(Table, DropsConstantColumnsFirst) {
  EXPECT_EQ(FormatTable(Jobs(), {.unicode = true}, 70),
            "ID                NAME   STATE    REASON\n"
            "c5xk2w7qpzr3vmt4  train  failed   killed by the memory limit\n"
            "w2kz5hq7tnx4mbv3  eval   running\n");
}

TEST(Table, ThenShortensCells) {
  EXPECT_EQ(FormatTable(Jobs(), {.unicode = true}, 48),
            "ID                NAME   STATE    REASON\n"
            "c5xk2w7qpzr3vmt4  train  failed   killed by the…\n"
            "w2kz5hq7tnx4mbv3  eval   running\n");
}

TEST(Table, LeavesOutSentencesOfAFewWords) {
  Table table = Jobs();
  table.sentences = "REASON";
  EXPECT_EQ(FormatTable(table, {.unicode = true}, 48),
            "ID                NAME   STATE\n"
            "c5xk2w7qpzr3vmt4  train  failed\n"
            "w2kz5hq7tnx4mbv3  eval   running\n");
  EXPECT_EQ(FormatTable(table, {.unicode = true}, 55),
            "ID                NAME   STATE    REASON\n"
            "c5xk2w7qpzr3vmt4  train  failed   killed by the memory…\n"
            "w2kz5hq7tnx4mbv3  eval   running\n");
}

TEST(Table, ThenDropsOtherColumns) {
  EXPECT_EQ(FormatTable(Jobs(), {.unicode = true}, 36),
            "ID                NAME   STATE\n"
            "c5xk2w7qpzr3vmt4  train  failed\n"
            "w2kz5hq7tnx4mbv3  eval   running\n");
}

TEST(Table, NeverWraps) {
  for (std::size_t width = 1; width < 100; ++width) {
    std::istringstream lines(FormatTable(Jobs(), {.unicode = true}, width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(DisplayWidth(line), width) << line;
  }
}

TEST(Table, NamesAreNeverShortened) {
  Table table = Jobs();
  table.whole = {"ID"};
  for (std::size_t width = 1; width < 100; ++width)
    EXPECT_NE(FormatTable(table, {.unicode = true}, width).find("\nc5xk2w7qpzr3vmt4"),
              std::string::npos)
        << width;
  table.droppable = {"OWNER", "REASON", "STATE"};
  table.whole = {"ID", "NAME"};
  EXPECT_EQ(FormatTable(table, {.unicode = true}, 24),
            "ID                NAME\n"
            "c5xk2w7qpzr3vmt4  train\n"
            "w2kz5hq7tnx4mbv3  eval\n");
}

TEST(Table, AColumnMovesBelowItsRow) {
  Table table = Jobs();
  table.below = "REASON";
  table.whole = {"ID"};
  table.droppable = {"OWNER", "STATE", "NAME"};
  EXPECT_EQ(FormatTable(table, {.unicode = true}, 20),
            "ID\n"
            "c5xk2w7qpzr3vmt4\n"
            "    killed by the\n"
            "    memory limit\n"
            "w2kz5hq7tnx4mbv3\n");
  const std::string wide = FormatTable(table, {.unicode = true}, 200);
  table.below.clear();
  EXPECT_EQ(wide, FormatTable(table, {.unicode = true}, 200));
}

TEST(Table, EmphasizesTheBeginning) {
  Cell id("c5xk");
  id.strong_bytes = 2;
  const Table table{.headings = {"ID"}, .rows = {{id}}};
  EXPECT_NE(FormatTable(table, {.color = true}, 0).find("\x1b[1mc5\x1b[0mxk\n"), std::string::npos);
  EXPECT_EQ(FormatTable(table, {}, 0), "ID\nc5xk\n");
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
