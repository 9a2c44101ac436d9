#include "base/strings.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

using std::chrono::milliseconds;

TEST(ParseBytes, KubernetesQuantities) {
  EXPECT_EQ(ParseBytes("1024"), 1024U);
  EXPECT_EQ(ParseBytes("32Gi"), 32ULL << 30);
  EXPECT_EQ(ParseBytes("500M"), 500'000'000U);
  EXPECT_EQ(ParseBytes("1.5Ki"), 1536U);
  for (const char* text : {"8GB", "8gb", "8Gb", "8gB"}) EXPECT_EQ(ParseBytes(text), 8'000'000'000U);
  EXPECT_EQ(ParseBytes("2kb"), 2000U);
  EXPECT_EQ(ParseBytes("2GiB"), 2ULL << 30);
  EXPECT_EQ(ParseBytes("2gib"), 2ULL << 30);
  for (const char* text :
       {"", "Gi", "-1", "1 Gi", "1gi", "1m", "1b", "1B", "1 GB", "9E9", "12Ei"}) {
    EXPECT_FALSE(ParseBytes(text)) << text;
  }
}

TEST(ParseDuration, NumbersWithUnits) {
  EXPECT_EQ(ParseDuration("30m"), milliseconds(1'800'000));
  EXPECT_EQ(ParseDuration("1h30m"), milliseconds(5'400'000));
  EXPECT_EQ(ParseDuration("1.5s"), milliseconds(1'500));
  EXPECT_EQ(ParseDuration("250ms"), milliseconds(250));
  EXPECT_EQ(ParseDuration("2d"), milliseconds(172'800'000));
  for (const char* text : {"", "30", "m", "1w", "-1s", "1s2"})
    EXPECT_FALSE(ParseDuration(text)) << text;
}

TEST(FormatFiles, HasSingularAndPlural) {
  EXPECT_EQ(FormatFiles(0, 0), "0 files, 0 B");
  EXPECT_EQ(FormatFiles(1, 17), "1 file, 17 B");
  EXPECT_EQ(FormatFiles(2, 1536), "2 files, 1.5 KiB");
}

TEST(FormatBytes, IsReadable) {
  EXPECT_EQ(FormatBytes(17), "17 B");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes(200ULL << 20), "200 MiB");
  EXPECT_EQ(FormatBytes((1ULL << 20) - 1), "1.0 MiB");
}

TEST(FormatDuration, IsReadable) {
  EXPECT_EQ(FormatDuration(milliseconds(850)), "850 ms");
  EXPECT_EQ(FormatDuration(milliseconds(4'200)), "4.2 s");
  EXPECT_EQ(FormatDuration(milliseconds(200'000)), "3m 20s");
  EXPECT_EQ(FormatDuration(milliseconds(7'500'000)), "2h 5m");
  EXPECT_EQ(FormatDuration(milliseconds(273'600'000)), "3d 4h");
}

}  // namespace
}  // namespace kinetic
