#include "commands/job/metrics_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::cli {
namespace {

using testing::ElementsAre;

std::vector<std::vector<std::string>> TextsOf(const Table& table) {
  std::vector<std::vector<std::string>> rows{table.headings};
  for (const auto& row : table.rows) {
    rows.emplace_back();
    for (const Cell& cell : row) rows.back().push_back(cell.text);
  }
  return rows;
}

TEST(MetricsTable, HasAColumnForEachName) {
  MetricsTable table("");
  table.Add({{"step", 1}, {"loss", 2.07154}});
  table.Add({{"val_loss", 3}, {"step", 2}});
  EXPECT_THAT(TextsOf(table.ToTable(0)),
              ElementsAre(ElementsAre("step", "loss", "val_loss"), ElementsAre("1", "2.072", ""),
                          ElementsAre("2", "", "3")));
  EXPECT_THAT(table.ToCsv(), ElementsAre("step,loss,val_loss", "1,2.07154,", "2,,3"));
}

TEST(MetricsTable, ShowsEvenlySpacedRows) {
  MetricsTable table("");
  for (int i = 0; i <= 1000; ++i) table.Add({{"step", i}});
  EXPECT_THAT(TextsOf(table.ToTable(3)), ElementsAre(ElementsAre("step"), ElementsAre("0"),
                                                     ElementsAre("500"), ElementsAre("1000")));
  EXPECT_EQ(table.ToTable(0).rows.size(), 1001U);
  EXPECT_EQ(table.ToCsv().size(), 1002U);
}

TEST(MetricsTable, LabelsRows) {
  MetricsTable table("job");
  table.Add({{"loss", 1}}, "a,b");
  table.Add({}, "c");
  EXPECT_THAT(table.ToCsv(), ElementsAre("job,loss", "\"a,b\",1", "c,"));
}

}  // namespace
}  // namespace kinetic::cli
