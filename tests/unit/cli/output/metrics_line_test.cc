#include "output/metrics_line.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kinetic::cli {
namespace {

TEST(MetricText, HasFourDigits) {
  EXPECT_EQ(MetricText(20), "20");
  EXPECT_EQ(MetricText(360'000), "360000");
  EXPECT_EQ(MetricText(1.38421), "1.384");
  EXPECT_EQ(MetricText(-0.00001234567), "-1.235e-05");
  EXPECT_EQ(MetricText(1e20), "1e+20");
  EXPECT_EQ(MetricText(std::nan("")), "nan");
}

TEST(Trend, ShowsTheCourse) {
  Trend trend;
  EXPECT_EQ(trend.Sparkline(), "");
  trend.Add(8);
  EXPECT_EQ(trend.Sparkline(), "");
  for (int i = 7; i > 0; --i) trend.Add(i);
  EXPECT_EQ(trend.Sparkline(), "█▇▆▅▄▃▂▁");
  trend.Add(std::nan(""));
  EXPECT_EQ(trend.Sparkline(), "█▇▆▅▄▃▂▁");
}

TEST(Trend, HasAtMostSixteenColumns) {
  Trend trend;
  for (int i = 0; i < 16; ++i) trend.Add(i);
  EXPECT_EQ(trend.Sparkline(), "▁▁▂▂▃▃▄▄▅▅▆▆▇▇██");
  trend.Add(16);
  EXPECT_EQ(trend.Sparkline(), "▁▂▃▄▅▆▆▇█");
  for (int i = 17; i < 1000; ++i) trend.Add(i);
  EXPECT_EQ(trend.Sparkline(), "▁▁▂▂▃▃▄▄▅▅▆▆▇▇██");
}

TEST(Trend, SurvivesEqualAndHugeNumbers) {
  Trend trend;
  trend.Add(2);
  trend.Add(2);
  EXPECT_EQ(trend.Sparkline(), "▁▁");
  trend.Add(std::numeric_limits<double>::max());
  trend.Add(std::numeric_limits<double>::lowest());
  EXPECT_EQ(trend.Sparkline(), "▁▁▁▁");
}

TEST(MetricsLine, ShowsStepsAndLossesFirst) {
  MetricsLine line;
  EXPECT_TRUE(line.IsEmpty());
  line.Add({{"accuracy", 0.5}, {"val_loss", 3.0}, {"step", 1}});
  line.Add({{"accuracy", 0.75}, {"val_loss", 2.5}, {"step", 2}});
  EXPECT_EQ(line.Text(0, false), "step 2  val_loss 2.5  accuracy 0.75");
  EXPECT_EQ(line.Text(0, true), "step 2  val_loss 2.5 █▁  accuracy 0.75 ▁█");
}

TEST(MetricsLine, FitsTheWidth) {
  MetricsLine line;
  line.Add({{"step", 1}, {"a_long_name", 0.5}, {"b", 1}});
  line.Add({{"step", 2}, {"a_long_name", 0.5}, {"b", 2}});
  EXPECT_EQ(line.Text(11, true), "step 2  b 2");
  EXPECT_EQ(line.Text(14, true), "step 2  b 2 ▁█");
  EXPECT_EQ(line.Text(3, true), "b 2");
  EXPECT_EQ(line.Text(2, true), "");
}

TEST(MetricsLine, EscapesNames) {
  MetricsLine line;
  line.Add({{"a\x1b[2J", 1}});
  EXPECT_EQ(line.Text(0, false), "a\\x1b[2J 1");
}

}  // namespace
}  // namespace kinetic::cli
