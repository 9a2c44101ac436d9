#include "kinetic/metrics.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/strings.h"
#include "record/metric_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace kinetic::inline v0 {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Reads a line from its beginning. A function that fails returns false or nullopt.
class MetricsReader {
 public:
  explicit MetricsReader(std::string_view text) : text_(text) {}

  bool Take(std::string_view token) {
    SkipSpaces();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }

  std::optional<std::string> TakeName() {
    if (!Take("\"")) return std::nullopt;
    const std::size_t end = EndOfString();
    if (end == std::string_view::npos || end == 0) return std::nullopt;
    const std::string_view raw = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    std::string name(raw);
    const auto is_plain = [](char c) { return c != '\\' && static_cast<signed char>(c) >= 0; };
    if (!std::ranges::all_of(raw, is_plain)) {  // escapes, or UTF-8 to check
      const auto value = Value::FromJson(fmt::format("\"{}\"", raw));
      const std::string* unescaped = value ? value->AsString() : nullptr;
      if (unescaped == nullptr) return std::nullopt;
      name = *unescaped;
    }
    if (name.size() > kMaxMetricNameBytes) return std::nullopt;
    return name;
  }

  std::optional<double> TakeNumber() {
    SkipSpaces();
    const bool is_quoted = text_.starts_with('"');
    if (is_quoted) text_.remove_prefix(1);
    std::optional<double> number = TakeNonFinite();
    if (!number && !is_quoted) number = TakeFinite();
    if (!number || (is_quoted && !TakeQuote())) return std::nullopt;
    return number;
  }

  bool AtEnd() {
    SkipSpaces();
    return text_.empty();
  }

 private:
  void SkipSpaces() {
    const std::size_t at = std::min(text_.find_first_not_of(" \t\r\n"), text_.size());
    text_.remove_prefix(at);
  }

  /// Returns the position of the quote that ends a string.
  std::size_t EndOfString() const {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '"') return i;
      if (static_cast<unsigned char>(text_[i]) < ' ') break;
      if (text_[i] == '\\') ++i;
    }
    return std::string_view::npos;
  }

  bool TakeQuote() {
    if (!text_.starts_with('"')) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::optional<double> TakeNonFinite() {
    static constexpr std::array<std::pair<std::string_view, double>, 3> kWords = {
        {{"NaN", kNan}, {"Infinity", kInfinity}, {"-Infinity", -kInfinity}}};
    for (const auto& [word, number] : kWords) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return number;
    }
    return std::nullopt;
  }

  /// std::from_chars also accepts "inf", ".5" and "01", which JSON does not.
  std::optional<double> TakeFinite() {
    const std::string_view digits = text_.substr(text_.starts_with('-') ? 1 : 0);
    const auto is_digit = [&](std::size_t at) {
      return at < digits.size() && digits[at] >= '0' && digits[at] <= '9';
    };
    if (!is_digit(0) || (digits[0] == '0' && is_digit(1))) return std::nullopt;
    double number = 0;
    const char* const begin = text_.begin();
    const auto read = std::from_chars(begin, text_.end(), number);
    if (read.ec == std::errc::invalid_argument) return std::nullopt;
    if (read.ec == std::errc::result_out_of_range) number = OutOfRange({begin, read.ptr});
    text_.remove_prefix(static_cast<std::size_t>(read.ptr - begin));
    return number;
  }

  /// As Python reads a number that a double cannot hold.
  static double OutOfRange(std::string_view digits) {
    const bool is_small = digits.find("e-") != std::string_view::npos ||
                          digits.find("E-") != std::string_view::npos || digits.starts_with("0.") ||
                          digits.starts_with("-0.");
    const double size = is_small ? 0 : kInfinity;
    return digits.starts_with('-') ? -size : size;
  }

  std::string_view text_;
};

/// Sets a number, which replaces an earlier one with the same name. Returns whether there is room.
bool Set(Metrics& numbers, std::string name, double number) {
  const auto found = std::ranges::find(numbers, name, &Metrics::value_type::first);
  if (found != numbers.end()) {
    found->second = number;
    return true;
  }
  if (numbers.size() == kMaxMetrics) return false;
  numbers.emplace_back(std::move(name), number);
  return true;
}

std::string NumberText(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return record::MetricValue(number).ToJson();
}

Status CheckName(std::string_view name) {
  if (name.empty() || name.size() > kMaxMetricNameBytes) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the name of a metric needs 1 to {} bytes, not {}", kMaxMetricNameBytes,
                            name.size()));
  }
  if (!IsUtf8(name)) return Fail(ErrorCode::kInvalidArgument, "the name of a metric is not UTF-8");
  return {};
}

}  // namespace

std::optional<Metrics> ParseMetrics(std::string_view line) {
  if (!line.starts_with(record::kMetricsPrefix)) return std::nullopt;
  MetricsReader reader(line.substr(record::kMetricsPrefix.size()));
  if (!reader.Take("{")) return std::nullopt;
  Metrics numbers;
  do {
    auto name = reader.TakeName();
    if (!name || !reader.Take(":")) return std::nullopt;
    const auto number = reader.TakeNumber();
    if (!number || !Set(numbers, *std::move(name), *number)) return std::nullopt;
  } while (reader.Take(","));
  if (!reader.Take("}") || !reader.Take("}") || !reader.AtEnd()) return std::nullopt;
  return numbers;
}

Result<std::string> FormatMetrics(const Metrics& numbers) {
  if (numbers.empty() || numbers.size() > kMaxMetrics) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("a row of metrics needs 1 to {} numbers, not {}", kMaxMetrics, numbers.size()));
  }
  for (const auto& [name, number] : numbers) KINETIC_RETURN_IF_ERROR(CheckName(name));
  std::string line(record::kMetricsPrefix);
  line += " {";
  for (std::size_t i = 0; i < numbers.size(); ++i)
    line += fmt::format("{}{}: {}", i == 0 ? "" : ", ", Value(numbers[i].first).ToJson(),
                        NumberText(numbers[i].second));
  return line + "}}";
}

void AddMetrics(const Metrics& numbers, std::vector<MetricSummary>& summary) {
  for (const auto& [name, number] : numbers) {
    const auto found = std::ranges::find(summary, name, &MetricSummary::name);
    if (found == summary.end()) {
      if (summary.size() < kMaxMetrics) summary.push_back({name, number, number, number, 1});
      continue;
    }
    found->last = number;
    found->min = std::fmin(found->min, number);  // returns the number if the other is NaN
    found->max = std::fmax(found->max, number);
    ++found->count;
  }
}

}  // namespace kinetic::inline v0
