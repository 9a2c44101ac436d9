#include "output/metrics_line.h"

#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace kinetic::cli {
namespace {

constexpr std::size_t kMostColumns = 16;
constexpr double kLargestWhole = 1e15;

constexpr int kStepRank = 0;
constexpr int kLossRank = 1;
constexpr int kOtherRank = 2;

int MetricRank(std::string_view name) {
  if (name.ends_with("step") || name.ends_with("epoch")) return kStepRank;
  return name.ends_with("loss") ? kLossRank : kOtherRank;
}

}  // namespace

std::string MetricText(double number) {
  const bool is_whole = std::trunc(number) == number && std::abs(number) < kLargestWhole;
  return is_whole ? fmt::format("{:.0f}", number) : fmt::format("{:.4g}", number);
}

void Trend::Add(double number) {
  if (!std::isfinite(number)) return;
  if (columns_.empty() || columns_.back().count == per_column_) {
    if (columns_.size() == kMostColumns) {
      for (std::size_t i = 0; i < kMostColumns / 2; ++i) {
        const Column& first = columns_[2 * i];
        const Column& second = columns_[2 * i + 1];
        columns_[i] = {first.sum + second.sum, first.count + second.count};
      }
      columns_.resize(kMostColumns / 2);
      per_column_ *= 2;
    }
    columns_.emplace_back();
  }
  columns_.back().sum += number;
  ++columns_.back().count;
}

std::string Trend::Sparkline() const {
  static constexpr std::array kLevels = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (columns_.size() < 2) return {};
  std::vector<double> means;
  means.reserve(columns_.size());
  for (const Column& column : columns_)
    means.push_back(column.sum / static_cast<double>(column.count));
  const auto [least, most] = std::ranges::minmax(means);
  const double range = most - least;
  std::string line;
  for (const double mean : means) {
    const double share = range > 0 && std::isfinite(range) ? (mean - least) / range : 0;
    line += kLevels.at(static_cast<std::size_t>(std::lround(share * (kLevels.size() - 1))));
  }
  return line;
}

void MetricsLine::Add(const Metrics& numbers) {
  for (const auto& [name, number] : numbers) {
    auto found = std::ranges::find(series_, name, &Series::name);
    if (found == series_.end()) {
      if (series_.size() == kMaxMetrics) continue;
      const int rank = MetricRank(name);
      const auto place = std::ranges::upper_bound(series_, rank, {}, &Series::rank);
      found = series_.insert(place, {name, rank, number, {}});
    }
    found->last = number;
    found->trend.Add(number);
  }
}

std::string MetricsLine::Text(std::size_t width, bool sparklines) const {
  std::string text;
  const auto fits = [&](const std::string& piece) {
    return width == 0 || DisplayWidth(text) + DisplayWidth(piece) <= width;
  };
  for (const Series& series : series_) {
    const std::string piece = fmt::format("{}{} {}", text.empty() ? "" : "  ",
                                          SafeLine(series.name), MetricText(series.last));
    if (!fits(piece)) continue;
    text += piece;
    if (!sparklines || series.rank == kStepRank) continue;
    const std::string line = series.trend.Sparkline();
    if (!line.empty() && fits(" " + line)) text += " " + line;
  }
  return text;
}

}  // namespace kinetic::cli
