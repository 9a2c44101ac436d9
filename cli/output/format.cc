#include "output/base.h"
#include "output/text.h"

#include <fmt/format.h>

#include <time.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

namespace kinetic::cli {
namespace {

using std::chrono::duration_cast;
using std::chrono::seconds;

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

/// Returns the distance to UTC, "+01:00", or "Z" if there is none.
std::string FormatOffset(std::int64_t offset) {
  if (offset == 0) return "Z";
  const std::int64_t minutes = std::abs(offset) / kMinute;
  return fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

/// Returns the width of a label such as "error: " with which a line begins, or 0.
std::size_t LabelWidth(std::string_view line) {
  constexpr std::size_t kLongest = 9;  // "warning: "
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return 0;
  const std::size_t width = VisibleWidth(line.substr(0, space + 1));
  const std::string_view word = line.substr(0, space);
  const bool is_label = word.ends_with(':') || word.ends_with(":\x1b[0m");
  return is_label && width <= kLongest ? width : 0;
}

std::string WrappedLine(std::string_view line, std::size_t columns) {
  const std::size_t indent = LabelWidth(line);
  std::string out;
  std::size_t column = 0;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    const std::size_t width = VisibleWidth(word);
    if (column > indent && column + 1 + width > columns) {
      out.append("\n").append(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      if (column > 0) ++column;
    }
    out += word;
    column += width;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return out;
}

}  // namespace

std::string FormatBytes(std::uint64_t bytes) {
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  constexpr double kStep = 1024.0;
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes) / kStep;
  std::size_t unit = 0;
  for (; amount >= kStep && unit + 1 < kUnits.size(); ++unit) amount /= kStep;
  return fmt::format("{:.{}f} {}", amount, amount < 100 ? 1 : 0, kUnits.at(unit));
}

std::string FormatFiles(std::uint64_t files, std::uint64_t bytes) {
  return fmt::format("{} {}, {}", files, files == 1 ? "file" : "files", FormatBytes(bytes));
}

std::string FormatDuration(std::chrono::nanoseconds duration) {
  const double exact = std::max(0.0, std::chrono::duration<double>(duration).count());
  const auto whole = static_cast<std::int64_t>(exact);
  if (exact < 1) return fmt::format("{:.2f}s", exact);
  if (exact < 10) return fmt::format("{:.1f}s", exact);
  if (whole < kMinute) return fmt::format("{}s", whole);
  if (whole < kHour) return fmt::format("{}m {}s", whole / kMinute, whole % kMinute);
  if (whole < kDay) return fmt::format("{}h {}m", whole / kHour, whole % kHour / kMinute);
  return fmt::format("{}d {}h", whole / kDay, whole % kDay / kHour);
}

std::string FormatAge(std::chrono::nanoseconds age) {
  const std::int64_t whole = std::max<std::int64_t>(0, duration_cast<seconds>(age).count());
  if (whole < kMinute) return fmt::format("{}s", whole);
  if (whole < kHour) return fmt::format("{}m", whole / kMinute);
  if (whole < kDay) return fmt::format("{}h", whole / kHour);
  return fmt::format("{}d", whole / kDay);
}

std::string FormatTime(Time time, TimeZone zone) {
  const auto whole = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  const auto whole_seconds = std::chrono::floor<seconds>(whole);
  const time_t stamp = whole_seconds.count();
  tm parts{};
  zone == TimeZone::kUtc ? ::gmtime_r(&stamp, &parts) : ::localtime_r(&stamp, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}{}", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     (whole - whole_seconds).count(), FormatOffset(parts.tm_gmtoff));
}

std::string Shortened(std::string_view text, std::size_t width, bool unicode) {
  if (DisplayWidth(text) <= width) return std::string(text);
  const std::string_view mark = unicode ? "…" : "...";
  const std::size_t mark_width = unicode ? 1 : 3;
  if (width <= mark_width) return std::string(mark.substr(0, unicode ? mark.size() : width));
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size();) {
    const DisplayCharacter next = FirstCharacter(text.substr(end));
    columns += next.columns;
    if (columns > width - mark_width) break;
    end += next.bytes;
  }
  return std::string(text.substr(0, end)).append(mark);
}

std::string OneLine(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return SafeLine(text);
}

std::string Wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (column > indent && column + 1 + word.size() > columns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::vector<std::string> WrappedLines(std::string_view text, std::size_t indent,
                                      std::size_t columns) {
  const std::string first = std::string(indent, ' ');
  if (columns <= indent || text.empty()) return {first + std::string(text)};
  std::vector<std::string> lines;
  std::istringstream wrapped(first + Wrapped(text, indent, columns));
  for (std::string line; std::getline(wrapped, line);) lines.push_back(line);
  return lines;
}

void Output::Paragraph(std::string_view text, std::size_t indent) {
  for (const std::string& line : WrappedLines(text, indent, Columns())) Line(line);
}

std::size_t VisibleWidth(std::string_view line) {
  std::size_t width = 0;
  while (!line.empty()) {
    const std::size_t escape = std::min(line.find('\x1b'), line.size());
    width += DisplayWidth(line.substr(0, escape));
    line.remove_prefix(escape);
    if (!line.empty()) line.remove_prefix(std::min(line.find('m') + 1, line.size()));
  }
  return width;
}

std::string WrappedMessage(std::string_view lines, std::size_t columns) {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    out += columns == 0 || line.starts_with(' ') ? std::string(line) : WrappedLine(line, columns);
    if (end < lines.size()) out += '\n';
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

}  // namespace kinetic::cli
