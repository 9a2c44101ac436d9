#include "jobspec/read/csv.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::jobspec {
namespace {

/// Returns "LINE:JSON" of each row, or the error.
std::string Table(std::string_view text) {
  const auto rows = ParseCsv(text);
  if (!rows) return rows.error().message;
  std::string shown;
  for (const auto& [row, line] : *rows) shown += std::to_string(line) + ":" + row.ToJson() + "\n";
  return shown;
}

TEST(ParseCsv, ReadsCellsAsScalars) {
  EXPECT_EQ(Table("a,b,c,d,e\n1,-0.5,1e3,true,\nTrue,FALSE,007,x y,null\n"),
            "2:{\"a\":1,\"b\":-0.5,\"c\":1000.0,\"d\":true,\"e\":null}\n"
            "3:{\"a\":true,\"b\":false,\"c\":\"007\",\"d\":\"x y\",\"e\":\"null\"}\n");
}

TEST(ParseCsv, QuotedCellsAreText) {
  EXPECT_EQ(Table("\"a\",b\n\"1\",\"\"\n\"x,\"\"y\"\"\nz\", \"q\" \n2,3"),
            "2:{\"a\":\"1\",\"b\":\"\"}\n3:{\"a\":\"x,\\\"y\\\"\\nz\",\"b\":\"q\"}\n"
            "5:{\"a\":2,\"b\":3}\n");
}

TEST(ParseCsv, AcceptsLineEndingsSpacesAndByteOrderMarks) {
  EXPECT_EQ(Table("\xef\xbb\xbf"
                  "a, b\r\n\r\n 1 ,2\r\n"),
            "3:{\"a\":1,\"b\":2}\n");
  EXPECT_EQ(Table("a,b\n"), "");
  EXPECT_EQ(Table(""), "");
}

TEST(ParseCsv, ReportsLines) {
  EXPECT_EQ(Table("a,b\n1,2\n1,2,3\n"), "3: found 3 fields, expected 2 (a, b)");
  EXPECT_EQ(Table("a,b\n\n1\n"), "3: found 1 fields, expected 2 (a, b)");
  EXPECT_EQ(Table("a,a\n1,2\n"), "1: duplicate column a");
  EXPECT_EQ(Table("a,\n1,2\n"), "1: column 2 has no valid name, expected the name of an argument");
  EXPECT_EQ(Table("$json,a\n1,2\n"),
            "1: column 1 has no valid name, expected the name of an argument");
  EXPECT_EQ(Table("a\n\"x\ny"), "2: unclosed quote; add the closing quote");
  EXPECT_EQ(Table("a\n\"x\ny\"z\n"), "3: found text after a closing quote, expected a comma");
  EXPECT_EQ(Table("a\nx\"y\n"),
            "2: a cell with quotes must be in quotes: \"a \"\"quoted\"\" word\"");
}

}  // namespace
}  // namespace kinetic::jobspec
