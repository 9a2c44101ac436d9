#include "base/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace kinetic {
namespace {

constexpr std::size_t kContextLines = 3;
/// Texts with more differences are shown as replaced, because the search takes quadratic time.
constexpr std::ptrdiff_t kMaxEdits = 2000;

using Lines = std::vector<std::string_view>;

/// A line of `before`, of `now`, or of both (' ').
struct Edit {
  char mark;
  std::string_view line;
};

/// Splits a text after each newline.
Lines LinesOf(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

/// Finds the shortest sequence of edits.
///
/// @source Eugene W. Myers, An O(ND) Difference Algorithm and Its Variations, 1986
class ShortestEdits {
 public:
  ShortestEdits(const Lines& before, const Lines& now) : before_(before), now_(now) {}

  std::vector<Edit> Find() {
    const auto edits = Search();
    return edits < 0 ? Replaced() : Backtrack(edits);
  }

 private:
  std::ptrdiff_t BeforeSize() const { return std::ssize(before_); }
  std::ptrdiff_t NowSize() const { return std::ssize(now_); }

  /// Returns the furthest line of `before` on diagonal `k` after `edits` edits, before the equal
  /// lines that follow.
  std::ptrdiff_t Start(const std::vector<std::ptrdiff_t>& last, std::ptrdiff_t edits,
                       std::ptrdiff_t k) const {
    if (edits == 0) return 0;
    return IsInsertion(last, edits, k) ? At(last, edits - 1, k + 1)
                                       : At(last, edits - 1, k - 1) + 1;
  }
  static bool IsInsertion(const std::vector<std::ptrdiff_t>& last, std::ptrdiff_t edits,
                          std::ptrdiff_t k) {
    if (k == -edits) return true;
    return k != edits && At(last, edits - 1, k - 1) < At(last, edits - 1, k + 1);
  }
  /// `furthest` has the diagonals -edits to edits, of which every second one is used.
  static std::ptrdiff_t At(const std::vector<std::ptrdiff_t>& furthest, std::ptrdiff_t edits,
                           std::ptrdiff_t k) {
    return furthest[static_cast<std::size_t>(k + edits)];
  }

  /// Returns the number of edits, or -1 if there are too many.
  std::ptrdiff_t Search() {
    const std::ptrdiff_t most = std::min(BeforeSize() + NowSize(), kMaxEdits);
    for (std::ptrdiff_t edits = 0; edits <= most; ++edits) {
      std::vector<std::ptrdiff_t> furthest(static_cast<std::size_t>(2 * edits + 1), 0);
      for (std::ptrdiff_t k = -edits; k <= edits; k += 2) {
        const std::vector<std::ptrdiff_t>& last = edits == 0 ? furthest : steps_.back();
        std::ptrdiff_t x = Start(last, edits, k);
        while (x < BeforeSize() && x - k < NowSize() && Same(x, x - k)) ++x;
        furthest[static_cast<std::size_t>(k + edits)] = x;
        if (x >= BeforeSize() && x - k >= NowSize()) return edits;
      }
      steps_.push_back(std::move(furthest));
    }
    return -1;
  }

  bool Same(std::ptrdiff_t x, std::ptrdiff_t y) const {
    return before_[static_cast<std::size_t>(x)] == now_[static_cast<std::size_t>(y)];
  }

  std::vector<Edit> Backtrack(std::ptrdiff_t edits) const {
    std::vector<Edit> path;
    std::ptrdiff_t x = BeforeSize();
    std::ptrdiff_t y = NowSize();
    const auto add = [&](char mark) {
      if (mark != '+') --x;
      if (mark != '-') --y;
      path.push_back({mark, mark == '+' ? now_[static_cast<std::size_t>(y)]
                                        : before_[static_cast<std::size_t>(x)]});
    };
    for (; edits > 0; --edits) {
      const auto& last = steps_[static_cast<std::size_t>(edits - 1)];
      const bool inserted = IsInsertion(last, edits, x - y);
      const std::ptrdiff_t start = Start(last, edits, x - y);
      while (x > start) add(' ');
      add(inserted ? '+' : '-');
    }
    while (x > 0) add(' ');
    std::ranges::reverse(path);
    return path;
  }

  std::vector<Edit> Replaced() const {
    std::vector<Edit> path;
    path.reserve(before_.size() + now_.size());
    for (const auto line : before_) path.push_back({'-', line});
    for (const auto line : now_) path.push_back({'+', line});
    return path;
  }

  const Lines& before_;
  const Lines& now_;
  std::vector<std::vector<std::ptrdiff_t>> steps_;
};

/// Returns "3,2", or "3" for one line. The position of an empty range is the line before it.
std::string RangeText(std::size_t begin, std::size_t count) {
  if (count == 1) return fmt::format("{}", begin + 1);
  return fmt::format("{},{}", count == 0 ? begin : begin + 1, count);
}

void AppendEdit(const Edit& edit, std::string& text) {
  text += edit.mark;
  text += edit.line;
  if (!edit.line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
}

/// Returns the end of the hunk whose first change is at `change`: after the context of its last
/// change.
std::size_t EndOfHunk(const std::vector<Edit>& edits, std::size_t change) {
  std::size_t end = change;
  for (std::size_t i = change; i < edits.size() && i <= end + 2 * kContextLines; ++i)
    if (edits[i].mark != ' ') end = i;
  return std::min(edits.size(), end + 1 + kContextLines);
}

}  // namespace

std::string UnifiedDiff(std::string_view before, std::string_view now) {
  if (before == now) return {};
  const Lines old = LinesOf(before);
  const Lines current = LinesOf(now);
  const std::vector<Edit> edits = ShortestEdits(old, current).Find();
  std::string text;
  std::size_t line_before = 0;
  std::size_t line_now = 0;
  std::size_t done = 0;
  const auto skip_to = [&](std::size_t end) {
    for (; done < end; ++done) {
      if (edits[done].mark != '+') ++line_before;
      if (edits[done].mark != '-') ++line_now;
    }
  };
  for (;;) {
    std::size_t change = done;
    while (change < edits.size() && edits[change].mark == ' ') ++change;
    if (change == edits.size()) return text;
    const std::size_t begin = std::max(done, change - std::min(change, kContextLines));
    const std::size_t end = EndOfHunk(edits, change);
    skip_to(begin);
    const std::size_t from = line_before;
    const std::size_t to = line_now;
    skip_to(end);
    text += fmt::format("@@ -{} +{} @@\n", RangeText(from, line_before - from),
                        RangeText(to, line_now - to));
    for (std::size_t i = begin; i < end; ++i) AppendEdit(edits[i], text);
  }
}

}  // namespace kinetic
