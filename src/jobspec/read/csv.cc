#include "jobspec/read/csv.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "json/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace kinetic::jobspec {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

struct CsvCell {
  std::string text;
  bool quoted = false;
};

struct CsvRow {
  std::vector<CsvCell> cells;
  int line = 0;
};

Failure AtLine(int line, std::string_view message) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", line, message));
}

class CsvScanner {
 public:
  explicit CsvScanner(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ == text_.size(); }

  Result<CsvRow> ReadRow() {
    CsvRow row{.cells = {}, .line = line_};
    do {
      KINETIC_ASSIGN_OR_RETURN(CsvCell cell, ReadCell());
      row.cells.push_back(std::move(cell));
    } while (Skip(","));
    if (Skip("\r\n") || Skip("\n") || Skip("\r")) ++line_;
    return row;
  }

 private:
  bool Skip(std::string_view separator) {
    if (!text_.substr(at_).starts_with(separator)) return false;
    at_ += separator.size();
    return true;
  }

  Result<CsvCell> ReadCell() {
    const std::size_t begin = std::min(text_.find_first_not_of(" \t", at_), text_.size());
    if (begin < text_.size() && text_[begin] == '"') return ReadQuoted(begin + 1);
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    const std::string_view cell = text_.substr(at_, end - at_);
    if (cell.find('"') != std::string_view::npos)
      return AtLine(line_, "a cell with quotes must be in quotes: \"a \"\"quoted\"\" word\"");
    at_ = end;
    return CsvCell{.text = std::string(Trim(cell))};
  }

  Result<CsvCell> ReadQuoted(std::size_t begin) {
    const int first_line = line_;
    CsvCell cell{.text = {}, .quoted = true};
    for (at_ = begin; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c != '"') {
        cell.text += c;
      } else if (text_.substr(at_ + 1).starts_with('"')) {
        cell.text += text_[++at_];
      } else {
        at_ = std::min(text_.find_first_not_of(" \t", at_ + 1), text_.size());
        const bool ends =
            AtEnd() || std::string_view(",\r\n").find(text_[at_]) != std::string::npos;
        if (ends) return cell;
        return AtLine(line_, "found text after a closing quote, expected a comma");
      }
    }
    return AtLine(first_line, "unclosed quote; add the closing quote");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

bool IsEmpty(const CsvRow& row) {
  return row.cells.size() == 1 && row.cells[0].text.empty() && !row.cells[0].quoted;
}

Value ValueOf(const CsvCell& cell) {
  const std::string& text = cell.text;
  if (cell.quoted) return text;
  if (text.empty()) return {};
  const std::string lower = ToLower(text);
  if (lower == "true" || lower == "false") return lower == "true";
  constexpr std::string_view kBeginsNumber = "-0123456789";
  if (kBeginsNumber.find(text.front()) == std::string_view::npos) return text;
  auto number = json::FromJsonWithBigIntegers(text);
  return number ? *std::move(number) : Value(text);
}

Result<std::vector<std::string>> NamesOf(const CsvRow& header) {
  std::vector<std::string> names;
  for (const CsvCell& cell : header.cells) {
    if (cell.text.empty() || cell.text.starts_with('$'))
      return AtLine(header.line, fmt::format("column {} has no valid name, expected the name of an "
                                             "argument",
                                             names.size() + 1));
    if (std::ranges::find(names, cell.text) != names.end())
      return AtLine(header.line, fmt::format("duplicate column {}", Printable(cell.text)));
    names.push_back(cell.text);
  }
  return names;
}

}  // namespace

Result<std::vector<std::pair<Value, int>>> ParseCsv(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  CsvScanner scanner(text);
  std::vector<std::string> names;
  std::vector<std::pair<Value, int>> rows;
  while (!scanner.AtEnd()) {
    KINETIC_ASSIGN_OR_RETURN(CsvRow row, scanner.ReadRow());
    if (IsEmpty(row)) continue;
    if (names.empty()) {
      KINETIC_ASSIGN_OR_RETURN(names, NamesOf(row));
      continue;
    }
    if (row.cells.size() != names.size())
      return AtLine(row.line, fmt::format("found {} fields, expected {} ({})", row.cells.size(),
                                          names.size(), Printable(Join(names, ", "))));
    Value::Map members;
    members.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      members.emplace_back(names[i], ValueOf(row.cells[i]));
    rows.emplace_back(std::move(members), row.line);
  }
  return rows;
}

}  // namespace kinetic::jobspec
