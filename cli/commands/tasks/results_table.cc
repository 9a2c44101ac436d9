#include "commands/tasks/results_table.h"

#include "commands/value/parts.h"
#include "documents.h"
#include "output/csv.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace kinetic::cli {
namespace {

constexpr std::size_t kCellColumns = 60;
constexpr std::size_t kMostFields = 30;

/// Returns the value of a positional argument "[0]" or of a named one, or null.
Value ArgumentOf(const TaskRow& row, const std::string& key) {
  if (const Value* named = row.args.Find(key)) return *named;
  if (!key.starts_with('[')) return {};
  for (std::size_t i = 0; i < row.args.positional.size(); ++i)
    if (fmt::format("[{}]", i) == key) return row.args.positional[i];
  return {};
}

/// Returns the map of a value with fields; null for other values, and for stored content.
const Value::Map* FieldsOf(const std::optional<Value>& value) {
  const Value::Map* map = value ? value->AsMap() : nullptr;
  if (map == nullptr || map->empty() || map->front().first.starts_with('$')) return nullptr;
  return map;
}

Value FieldOf(const TaskRow& row, const std::string& key) {
  if (FieldsOf(row.value) == nullptr) return {};
  const Value* field = row.value->Find(key);
  return field == nullptr ? Value() : *field;
}

Value MetricOf(const TaskRow& row, const std::string& key) {
  const Value* number = row.metrics.Find(key);
  return number == nullptr ? Value() : *number;
}

Value WholeValueOf(const TaskRow& row, const std::string& /*key*/) {
  return row.value.value_or(Value());
}

Value JobCell(const TaskRow& row, const std::string& /*key*/) { return row.job; }
Value TaskCell(const TaskRow& row, const std::string& /*key*/) { return Number(row.task); }
Value StateCell(const TaskRow& row, const std::string& /*key*/) { return row.state; }
Value ErrorCell(const TaskRow& row, const std::string& /*key*/) { return TextOrNull(row.error); }

std::vector<std::string> ArgumentNames(const Arguments& args) {
  std::vector<std::string> names;
  names.reserve(args.positional.size() + args.named.size());
  for (std::size_t i = 0; i < args.positional.size(); ++i) names.push_back(fmt::format("[{}]", i));
  for (const auto& named : args.named) names.push_back(named.first);
  return names;
}

std::string CellText(const Value& value) {
  if (value.IsNull()) return {};
  return value.AsString() != nullptr ? *value.AsString() : Displayed(value).ToJson();
}

/// Where a cell is sorted: numbers, then texts, then nothing.
struct SortKey {
  explicit SortKey(const Value& value) {
    if (const auto as_number = value.As<double>()) {
      kind = 0;
      number = *as_number;
    } else if (!value.IsNull()) {
      kind = 1;
      text = CellText(value);
    }
  }
  int kind = 2;
  double number = 0;
  std::string text;
};

bool IsBefore(const SortKey& a, const SortKey& b, bool reverse) {
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.kind == 0) return reverse ? b.number < a.number : a.number < b.number;
  return reverse ? b.text < a.text : a.text < b.text;
}

}  // namespace

ResultsTable::ResultsTable(std::vector<TaskRow> rows, bool has_job) : rows_(std::move(rows)) {
  if (has_job) columns_.push_back({"job", JobCell, {}});
  columns_.push_back({"task", TaskCell, {}});
  columns_.push_back({"state", StateCell, {}});
  AddArguments();
  AddValues();
  AddMetrics();
  const bool has_errors =
      std::ranges::any_of(rows_, [](const TaskRow& row) { return !row.error.empty(); });
  if (has_errors) columns_.push_back({"error", ErrorCell, {}});
}

bool ResultsTable::HasColumn(std::string_view name) const { return Find(name) != nullptr; }

const ResultsTable::Column* ResultsTable::Find(std::string_view name) const {
  const auto found = std::ranges::find(columns_, name, &Column::name);
  return found == columns_.end() ? nullptr : &*found;
}

/// Adds the arguments that differ, or all of them if there is one row.
void ResultsTable::AddArguments() {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const TaskRow& row : rows_)
    for (std::string& name : ArgumentNames(row.args))
      if (known.insert(name).second) names.push_back(std::move(name));
  for (std::string& name : names) {
    const Value first = ArgumentOf(rows_.front(), name);
    const bool differs = rows_.size() == 1 || std::ranges::any_of(rows_, [&](const TaskRow& row) {
                           return ArgumentOf(row, name) != first;
                         });
    if (!differs) continue;
    const std::string column = HasColumn(name) ? "args." + name : name;
    columns_.push_back({column, ArgumentOf, std::move(name)});
  }
}

/// Adds a column for each field if all values are maps, or else one column.
void ResultsTable::AddValues() {
  std::vector<std::string> fields;
  std::set<std::string> known;
  bool has_other = false;
  bool has_any = false;
  for (const TaskRow& row : rows_) {
    if (!row.value) continue;
    const Value::Map* map = FieldsOf(row.value);
    has_any = has_any || !row.value->IsNull();
    has_other = has_other || (map == nullptr && !row.value->IsNull());
    if (map == nullptr) continue;
    for (const auto& field : *map)
      if (known.insert(field.first).second) fields.push_back(field.first);
  }
  if (!has_any) return;
  if (has_other || fields.size() > kMostFields) {
    columns_.push_back({HasColumn("value") ? "result.value" : "value", WholeValueOf, {}});
    return;
  }
  for (std::string& field : fields) {
    const std::string column = HasColumn(field) ? "value." + field : field;
    columns_.push_back({column, FieldOf, std::move(field)});
  }
}

void ResultsTable::AddMetrics() {
  std::set<std::string> known;
  for (const TaskRow& row : rows_) {
    if (row.metrics.AsMap() == nullptr) continue;
    for (const auto& metric : *row.metrics.AsMap()) {
      if (known.size() == kMostFields || !known.insert(metric.first).second) continue;
      const std::string column = HasColumn(metric.first) ? "metrics." + metric.first : metric.first;
      columns_.push_back({column, MetricOf, metric.first});
    }
  }
}

std::vector<std::string> ResultsTable::Columns() const {
  std::vector<std::string> names;
  names.reserve(columns_.size());
  for (const Column& column : columns_) names.push_back(column.name);
  return names;
}

Status ResultsTable::Sort(std::string_view column, bool reverse) {
  const Column* found = Find(column);
  if (found == nullptr)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--sort: there is no column '{}'", SafeLine(column)),
                SafeLine(fmt::format("the columns are {}", fmt::join(Columns(), ", "))));
  std::vector<std::pair<SortKey, std::size_t>> keys;
  keys.reserve(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    keys.emplace_back(SortKey(found->cell(rows_[i], found->key)), i);
  std::ranges::sort(keys, [&](const auto& a, const auto& b) {
    if (IsBefore(a.first, b.first, reverse)) return true;
    return !IsBefore(b.first, a.first, reverse) && a.second < b.second;  // as before
  });
  std::vector<TaskRow> sorted;
  sorted.reserve(rows_.size());
  for (const auto& key : keys) sorted.push_back(std::move(rows_[key.second]));
  rows_ = std::move(sorted);
  return {};
}

void ResultsTable::Keep(std::size_t count, std::string_view column) {
  if (const Column* found = Find(column))
    std::erase_if(rows_, [&](const TaskRow& row) { return found->cell(row, found->key).IsNull(); });
  if (rows_.size() > count)
    rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(count), rows_.end());
}

Table ResultsTable::ToTable() const {
  Table table{.headings = Columns()};
  for (const TaskRow& row : rows_) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    for (const Column& column : columns_)
      cells.emplace_back(
          Shortened(OneLine(CellText(column.cell(row, column.key))), kCellColumns, true));
  }
  return table;
}

std::vector<std::string> ResultsTable::ToCsv() const {
  std::vector<std::string> lines{CsvLine(Columns())};
  for (const TaskRow& row : rows_) {
    std::vector<std::string> cells;
    cells.reserve(columns_.size());
    for (const Column& column : columns_) cells.push_back(CellText(column.cell(row, column.key)));
    lines.push_back(CsvLine(cells));
  }
  return lines;
}

Value ResultsTable::ToDocument() const {
  Value::List list;
  for (const TaskRow& row : rows_) {
    Value args = row.args.positional.empty() ? Value(row.args.named) : Value(row.args.positional);
    list.emplace_back(Value::Map{{"job", row.job},
                                 {"task", Number(row.task)},
                                 {"state", row.state},
                                 {"error", TextOrNull(row.error)},
                                 {"args", std::move(args)},
                                 {"value", row.value.value_or(Value())},
                                 {"metrics", row.metrics}});
  }
  return list;
}

}  // namespace kinetic::cli
