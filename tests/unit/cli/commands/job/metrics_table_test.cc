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
  MetricsTable table("attempt", MetricsTable::Labels::kIfDifferent);
  table.Add({{"step", 1}, {"loss", 2.07154}}, "1");
  table.Add({{"val_loss", 3}, {"step", 2}}, "1");
  EXPECT_THAT(TextsOf(table.ToTable()),
              ElementsAre(ElementsAre("step", "loss", "val_loss"), ElementsAre("1", "2.072", ""),
                          ElementsAre("2", "", "3")));
  EXPECT_THAT(table.ToCsv(), ElementsAre("step,loss,val_loss", "1,2.07154,", "2,,3"));
}

TEST(MetricsTable, ShowsEvenlySpacedRows) {
  MetricsTable table("attempt", MetricsTable::Labels::kIfDifferent, 3);
  MetricsTable all("attempt", MetricsTable::Labels::kIfDifferent);
  for (int i = 0; i <= 1000; ++i) {
    table.Add({{"step", i}}, "1");
    all.Add({{"step", i}}, "1");
  }
  EXPECT_THAT(TextsOf(table.ToTable()), ElementsAre(ElementsAre("step"), ElementsAre("0"),
                                                    ElementsAre("500"), ElementsAre("1000")));
  EXPECT_EQ(all.ToTable().rows.size(), 1001U);
  EXPECT_EQ(all.ToCsv().size(), 1002U);
}

TEST(MetricsTable, KeepsFewRowsOfALongJob) {
  MetricsTable table("attempt", MetricsTable::Labels::kIfDifferent, 5);
  for (int i = 0; i < 100'000; ++i) table.Add({{"step", i}}, "1");
  EXPECT_EQ(table.size(), 100'000U);
  EXPECT_LE(table.ToCsv().size(), 1026U);
  const auto rows = TextsOf(table.ToTable());
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_THAT(rows[1], ElementsAre("0"));
  EXPECT_NEAR(std::stoi(rows[3][0]), 50'000, 200);
  EXPECT_THAT(rows[5], ElementsAre("99999"));
}

TEST(MetricsTable, LimitsColumns) {
  MetricsTable table("attempt", MetricsTable::Labels::kIfDifferent);
  for (int i = 0; i < 64; ++i) table.Add({{"eval_" + std::to_string(i), i}}, "1");
  EXPECT_FALSE(table.HasMoreNames());
  for (int i = 64; i < 100; ++i) table.Add({{"eval_" + std::to_string(i), i}}, "1");
  table.Add({{"more", 1}, {"eval_0", 7}}, "1");
  EXPECT_TRUE(table.HasMoreNames());
  EXPECT_EQ(table.ToTable().headings.size(), 64U);
  EXPECT_EQ(table.size(), 65U) << "rows without a column are left out";
  EXPECT_EQ(table.ToTable().rows.back().front().text, "7");
}

TEST(MetricsTable, LabelsRowsOfSeveralAttempts) {
  MetricsTable table("attempt", MetricsTable::Labels::kIfDifferent);
  table.Add({{"step", 1}}, "1");
  EXPECT_THAT(table.ToCsv(), ElementsAre("step", "1"));
  table.Add({{"step", 1}}, "2");
  table.Add({{"step", 2}}, "2");
  EXPECT_THAT(table.ToCsv(), ElementsAre("attempt,step", "1,1", "2,1", "2,2"));
}

TEST(MetricsTable, LabelsRows) {
  MetricsTable table("job", MetricsTable::Labels::kAlways);
  table.Add({{"loss", 1}}, "a,b");
  table.Add({}, "c");
  EXPECT_THAT(table.ToCsv(), ElementsAre("job,loss", "\"a,b\",1", "c,"));
}

}  // namespace
}  // namespace kinetic::cli
