#include "base/strings.h"
#include "env/dependencies/requirements.h"

namespace kinetic::env {
namespace {

/// Removes and returns the next line, without its ending: \n, \r\n or \r.
std::string_view TakeLine(std::string_view& rest) {
  const auto end = rest.find_first_of("\r\n");
  const std::string_view line = rest.substr(0, end);
  if (end == std::string_view::npos) {
    rest = {};
  } else {
    rest.remove_prefix(end + (rest.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  return line;
}

/// Returns the start of the comment: a '#' at the start or after white space.
std::size_t CommentStart(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) return i;
  }
  return line.size();
}

}  // namespace

std::string LogicalLine::Position(std::size_t offset) const {
  Origin last{0, 1, 1};
  for (const auto& origin : origins) {
    if (origin.offset > offset) break;
    last = origin;
  }
  return std::to_string(last.line) + ":" +
         std::to_string(last.column + static_cast<int>(offset - last.offset));
}

std::vector<LogicalLine> SplitLogicalLines(std::string_view text) {
  static constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  std::vector<LogicalLine> lines;
  LogicalLine current;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = TakeLine(text);
    const std::size_t comment = CommentStart(line);
    const bool commented = comment < line.size();
    line = line.substr(0, comment);
    const bool continued = !commented && line.ends_with('\\');
    if (continued) line.remove_suffix(1);
    const auto indent = line.find_first_not_of(" \t\f\v");
    if (indent != std::string_view::npos) {
      if (!current.text.empty()) current.text += ' ';
      current.origins.push_back({current.text.size(), number, static_cast<int>(indent) + 1});
      current.text += Trim(line);
    }
    if (continued && !text.empty()) continue;
    if (!current.text.empty()) lines.push_back(std::move(current));
    current = {};
  }
  return lines;
}

}  // namespace kinetic::env
