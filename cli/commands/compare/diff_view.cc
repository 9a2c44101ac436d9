#include "commands/compare/diff_view.h"

#include "commands/change_mark.h"
#include "output/phase_name.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

using Kind = BundleChange::Kind;
using Property = JobDifference::Property;

Kind KindOf(const std::string& before, const std::string& now) {
  if (before.empty()) return Kind::kAdded;
  return now.empty() ? Kind::kRemoved : Kind::kModified;
}

constexpr std::size_t kValueColumns = 60;
constexpr std::string_view kCutMark = "...";

/// Returns where to cut long values, so that what differs fits. Some of the common beginning is
/// kept for context.
std::size_t CutPoint(std::string_view before, std::string_view now) {
  constexpr std::size_t kContext = 20;
  if (std::max(DisplayWidth(before), DisplayWidth(now)) <= kValueColumns) return 0;
  const auto [old, current] = std::ranges::mismatch(before, now);
  const auto same = static_cast<std::size_t>(old - before.begin());
  if (same <= kContext + kCutMark.size()) return 0;
  std::size_t cut = same - kContext;
  while (cut > 0 && (static_cast<unsigned char>(before[cut]) & 0xC0) == 0x80) --cut;  // UTF-8
  return cut;
}

std::string ValueFrom(const std::string& value, std::size_t begin) {
  return Shortened(std::string(begin > 0 ? kCutMark : "") + value.substr(begin), kValueColumns,
                   false);
}

/// Returns "1 -> 2", or only the value that exists.
std::string Changed(const std::string& before, const std::string& now) {
  const std::string old = OneLine(before);
  const std::string current = OneLine(now);
  if (before.empty() || now.empty()) return ValueFrom(before.empty() ? current : old, 0);
  const std::size_t cut = CutPoint(old, current);
  return ValueFrom(old, cut) + " -> " + ValueFrom(current, cut);
}

/// One line of a section.
struct Row {
  Kind kind;
  std::string name;
  std::string text;
};

void ShowSection(std::string_view heading, const std::vector<Row>& rows, Output& output) {
  if (rows.empty()) return;
  constexpr std::size_t kMaxRowNameColumns = 40;
  std::size_t width = 0;
  for (const Row& row : rows)
    width = std::max(width, std::min(DisplayWidth(SafeLine(row.name)), kMaxRowNameColumns));
  output.Line({std::string(heading), Role::kStrong});
  for (const Row& row : rows) {
    const auto [mark, role] = ChangeMark(row.kind != Kind::kAdded, row.kind != Kind::kRemoved);
    const std::string name = SafeLine(row.name);
    const std::size_t padding = width - std::min(width, DisplayWidth(name));
    StyledLine line;
    line.Add(fmt::format("  {} {}", mark, row.name), role);
    if (!row.text.empty()) line.Add(std::string(padding + 2, ' ') + row.text);
    output.Line(line);
  }
}

/// Returns a value as people write it. The job's record has bytes and milliseconds.
std::string Readable(std::string_view name, const std::string& value) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
  if (value.empty() || read.ptr != value.data() + value.size()) return value;
  if (name == "resources.memory" || name == "resources.disk" || name == "resources.shm")
    return FormatBytes(number);
  if (name.starts_with("timeouts.")) return FormatDuration(std::chrono::milliseconds(number));
  return value;
}

std::vector<Row> ChangeRows(const std::vector<Property>& changes) {
  std::vector<Row> rows;
  rows.reserve(changes.size());
  for (const Property& each : changes)
    rows.push_back({KindOf(each.before, each.now), each.name, Changed(each.before, each.now)});
  return rows;
}

std::vector<Property> ReadableProperties(std::vector<Property> properties) {
  for (Property& each : properties) {
    each.before = Readable(each.name, each.before);
    each.now = Readable(each.name, each.now);
  }
  return properties;
}

std::vector<Row> RowsOf(const std::vector<JobDifference::Item>& items) {
  std::vector<Row> rows;
  rows.reserve(items.size());
  for (const auto& item : items) rows.push_back({item.kind, item.name, {}});
  return rows;
}

std::vector<Row> RowsOf(const std::vector<JobDifference::File>& files) {
  std::vector<Row> rows;
  for (const auto& file : files) {
    const std::string before = FormatBytes(file.bytes_before);
    const std::string now = FormatBytes(file.bytes_now);
    const bool has_both = file.kind == Kind::kModified && file.bytes_before != file.bytes_now;
    const std::string& size = file.kind == Kind::kRemoved ? before : now;
    rows.push_back({file.kind, file.path, has_both ? before + " -> " + now : size});
  }
  return rows;
}

using MaybeDuration = std::optional<std::chrono::nanoseconds>;

std::string DurationText(const MaybeDuration& duration) {
  return duration ? FormatDuration(*duration) : "-";
}

std::string DeltaText(const MaybeDuration& before, const MaybeDuration& now) {
  constexpr std::chrono::milliseconds kSmallestShown(5);
  if (!before || !now) return {};
  const auto delta = *now - *before;
  if (std::chrono::abs(delta) < kSmallestShown) return {};
  return (delta.count() < 0 ? "-" : "+") + FormatDuration(delta.count() < 0 ? -delta : delta);
}

Role RoleOfLine(std::string_view line) {
  if (line.starts_with('+')) return Role::kGood;
  if (line.starts_with('-')) return Role::kBad;
  return line.starts_with("@@") ? Role::kHint : Role::kPlain;
}

/// Shows the changed lines of files, as 'diff -u' does.
void ShowLines(const std::vector<JobDifference::File>& files, Output& output) {
  for (const JobDifference::File& file : files) {
    if (file.lines.empty()) continue;
    const bool is_added = file.kind == Kind::kAdded;
    const bool is_removed = file.kind == Kind::kRemoved;
    output.Line("");
    output.Line({is_added ? std::string("--- /dev/null") : "--- a/" + file.path, Role::kStrong});
    output.Line({is_removed ? std::string("+++ /dev/null") : "+++ b/" + file.path, Role::kStrong});
    std::string_view rest = file.lines;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      output.Line({std::string(line), RoleOfLine(line)});
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
}

void ShowDurations(const JobDifference& difference, Output& output) {
  if (difference.durations.empty()) return;
  Table table{.headings = {"PHASE", "BEFORE", "NOW", "DIFFERENCE"}, .rows = {}};
  for (const auto& each : difference.durations)
    table.rows.push_back({std::string(PhaseName(each.phase)), DurationText(each.before),
                          DurationText(each.now), DeltaText(each.before, each.now)});
  output.Line("");
  output.Show(table);
}

}  // namespace

void ShowDifference(const JobDifference& difference, Output& output) {
  output.Line(fmt::format("before: {} ({})", difference.before, Name(difference.state_before)));
  output.Line(fmt::format("now:    {} ({}){}", difference.now, Name(difference.state_now),
                          difference.is_rerun ? ", a rerun of " + difference.before : ""));
  output.Line("");
  ShowSection("Job", ChangeRows(ReadableProperties(difference.properties)), output);
  ShowSection("Arguments", ChangeRows(difference.arguments), output);
  ShowSection("Code", RowsOf(difference.code), output);
  ShowSection("Packages", ChangeRows(difference.packages), output);
  ShowSection("Environment variables", RowsOf(difference.variables), output);
  ShowSection("Secrets", RowsOf(difference.secrets), output);
  ShowSection("Data", RowsOf(difference.data), output);
  if (!difference.packages_unknown.empty())
    output.Warn("cannot compare the packages: " + difference.packages_unknown);
  if (difference.IsSameJob())
    output.Line("the same code, packages, arguments, variables, data and job file");
  ShowDurations(difference, output);
  ShowLines(difference.code, output);
}

}  // namespace kinetic::cli
