#include "base/unified_diff.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace kinetic {
namespace {

TEST(UnifiedDiff, ShowsChangedLinesWithContext) {
  EXPECT_EQ(UnifiedDiff("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\nE\nf\n"),
            "@@ -2,5 +2,5 @@\n b\n c\n d\n-e\n+E\n f\n");
  EXPECT_EQ(UnifiedDiff("a\n", "a\n"), "");
}

TEST(UnifiedDiff, EmptyTextsHaveTheRangeZero) {
  EXPECT_EQ(UnifiedDiff("", "x\ny\n"), "@@ -0,0 +1,2 @@\n+x\n+y\n");
  EXPECT_EQ(UnifiedDiff("x\n", ""), "@@ -1 +0,0 @@\n-x\n");
}

TEST(UnifiedDiff, MarksAMissingNewlineAtTheEnd) {
  EXPECT_EQ(UnifiedDiff("x\n", "x"), "@@ -1 +1 @@\n-x\n+x\n\\ No newline at end of file\n");
}

TEST(UnifiedDiff, DistantChangesAreSeparateHunks) {
  std::string before;
  std::string now;
  for (int i = 0; i < 30; ++i) {
    const std::string line = std::to_string(i) + "\n";
    before += line;
    now += i == 5 || i == 20 ? "new\n" : line;
  }
  EXPECT_EQ(UnifiedDiff(before, now),
            "@@ -3,7 +3,7 @@\n 2\n 3\n 4\n-5\n+new\n 6\n 7\n 8\n"
            "@@ -18,7 +18,7 @@\n 17\n 18\n 19\n-20\n+new\n 21\n 22\n 23\n");
}

/// Applies a diff, which must fit exactly.
std::string Patched(const std::string& before, const std::string& diff) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < before.size();) {
    const std::size_t end = before.find('\n', at) + 1;
    lines.push_back(before.substr(at, end - at));
    at = end;
  }
  std::string now;
  std::size_t next = 0;
  for (std::size_t at = 0; at < diff.size();) {
    const std::size_t end = diff.find('\n', at) + 1;
    const std::string line = diff.substr(at, end - at);
    at = end;
    if (line.starts_with("@@")) {
      std::size_t begin = std::stoul(line.substr(4));
      const bool is_empty = line.find(",0 +") != std::string::npos;
      if (!is_empty) --begin;
      while (next < begin) now += lines.at(next++);
    } else if (line.starts_with('+')) {
      now += line.substr(1);
    } else {
      EXPECT_EQ(line.substr(1), lines.at(next));
      if (line.starts_with(' ')) now += lines.at(next);
      ++next;
    }
  }
  while (next < lines.size()) now += lines.at(next++);
  return now;
}

TEST(UnifiedDiff, AppliesToRandomTexts) {
  std::mt19937 random(7);
  const auto text = [&] {
    std::string lines;
    for (auto i = random() % 40; i > 0; --i) lines += std::string(1, "abc"[random() % 3]) + "\n";
    return lines;
  };
  for (int i = 0; i < 500; ++i) {
    const std::string before = text();
    const std::string now = text();
    EXPECT_EQ(Patched(before, UnifiedDiff(before, now)), now) << before << "---\n" << now;
  }
}

TEST(UnifiedDiff, ManyDifferencesAreReplaced) {
  std::string before;
  std::string now;
  for (int i = 0; i < 5000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    now += "b" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(Patched(before, UnifiedDiff(before, now)), now);
}

}  // namespace
}  // namespace kinetic
