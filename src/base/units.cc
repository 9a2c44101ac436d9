#include "base/strings.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace kinetic {
namespace {

/// Consumes a decimal number without sign or exponent from the front of `text`.
std::optional<double> TakeNumber(std::string_view& text) {
  double value = 0;
  double scale = 0;  // 0 before the point, then 0.1, 0.01, ...
  std::size_t digits = 0;
  for (; !text.empty(); text.remove_prefix(1)) {
    const char c = text.front();
    if (c == '.' && scale == 0) {
      scale = 0.1;
    } else if (c >= '0' && c <= '9') {
      ++digits;
      value = scale == 0 ? value * 10 + (c - '0') : value + (c - '0') * scale;
      if (scale != 0) scale /= 10;
    } else {
      break;
    }
  }
  if (digits == 0) return std::nullopt;
  return value;
}

using Unit = std::pair<std::string_view, double>;

}  // namespace

std::optional<std::uint64_t> ParseBytes(std::string_view text) {
  static constexpr std::array<Unit, 14> kUnits{{{"", 1},
                                                {"k", 1e3},
                                                {"K", 1e3},
                                                {"M", 1e6},
                                                {"G", 1e9},
                                                {"T", 1e12},
                                                {"P", 1e15},
                                                {"E", 1e18},
                                                {"Ki", 0x1p10},
                                                {"Mi", 0x1p20},
                                                {"Gi", 0x1p30},
                                                {"Ti", 0x1p40},
                                                {"Pi", 0x1p50},
                                                {"Ei", 0x1p60}}};
  const auto number = TakeNumber(text);
  if (!number) return std::nullopt;
  // "GB" and "gb" are "G". Without "B", only the exact units are valid: "m" would be thousandths.
  std::string unit(text);
  if (unit.size() > 1 && (unit.back() == 'B' || unit.back() == 'b')) {
    unit = ToLower(unit.substr(0, unit.size() - 1));
    unit.front() = static_cast<char>(unit.front() - 'a' + 'A');
  }
  for (const auto& [name, factor] : kUnits) {
    if (name != unit) continue;
    const double bytes = *number * factor;
    if (bytes >= 0x1p63) return std::nullopt;
    return static_cast<std::uint64_t>(std::llround(bytes));
  }
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  static constexpr std::array<Unit, 5> kUnits{
      {{"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}, {"d", 86400e3}}};
  if (text.empty()) return std::nullopt;
  double total = 0;
  while (!text.empty()) {
    const auto number = TakeNumber(text);
    if (!number) return std::nullopt;
    const auto length = text.find_first_of("0123456789.");
    const std::string_view unit = text.substr(0, length);
    bool known = false;
    for (const auto& [name, factor] : kUnits) {
      if (name != unit) continue;
      total += *number * factor;
      known = true;
    }
    if (!known || total > static_cast<double>(kMaxDuration.count())) return std::nullopt;
    text.remove_prefix(unit.size());
  }
  return std::chrono::milliseconds(std::llround(total));
}

std::string FormatBytes(std::uint64_t bytes) {
  static constexpr std::array<const char*, 7> kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < kNames.size(); ++unit) value /= 1024;
  if (unit == 0 || value >= 99.95) return fmt::format("{:.0f} {}", value, kNames[unit]);
  return fmt::format("{:.1f} {}", value, kNames[unit]);
}

std::string FormatFiles(std::uint64_t files, std::uint64_t bytes) {
  return std::to_string(files) + (files == 1 ? " file, " : " files, ") + FormatBytes(bytes);
}

std::string FormatDuration(std::chrono::milliseconds duration) {
  const auto ms = duration.count();
  if (ms < 1000) return fmt::format("{} ms", ms);
  if (ms < 60'000) return fmt::format("{:.1f} s", static_cast<double>(ms) / 1000);
  const auto seconds = ms / 1000;
  if (seconds < 3600) return fmt::format("{}m {}s", seconds / 60, seconds % 60);
  if (seconds < 86'400) return fmt::format("{}h {}m", seconds / 3600, seconds % 3600 / 60);
  return fmt::format("{}d {}h", seconds / 86'400, seconds % 86'400 / 3600);
}

}  // namespace kinetic
