#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/tasks.h"
#include "kinetic/value.h"

#include "output/table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::cli {

/// A task of an array with its arguments.
struct TaskRow {
  std::string job;
  std::uint32_t task = 0;
  std::string state;  ///< "succeeded"; "unfinished" while the task runs or waits
  std::string error;  ///< of a task that did not succeed
  Arguments args;
  std::optional<Value> value;  ///< of a task that succeeded
  Value metrics = {};          ///< a map of the last numbers
};

/// The rows of `kinetic results` with their columns: task, state, the arguments that differ between
/// the rows, the fields of values that are maps, or the whole value, metrics, and errors.
class ResultsTable {
 public:
  /// @param has_job  adds the column of the job.
  ResultsTable(std::vector<TaskRow> rows, bool has_job);

  std::vector<std::string> Columns() const;
  const std::vector<TaskRow>& rows() const { return rows_; }

  /// Sorts by a column: numbers before texts, and rows without a value last.
  ///
  /// @param reverse  the largest first.
  /// @errors  kInvalidArgument: no such column; the hint names the columns.
  Status Sort(std::string_view column, bool reverse);
  /// Keeps the first rows that have a value in a column, or the first rows of all if it is empty.
  void Keep(std::size_t count, std::string_view column);

  Table ToTable() const;
  /// Returns the lines of comma-separated values, of which the first one has the headings. Cells are
  /// quoted as in RFC 4180.
  std::vector<std::string> ToCsv() const;
  /// Returns one object for each row, with all arguments and the whole value.
  Value ToDocument() const;

 private:
  struct Column {
    std::string name;
    Value (*cell)(const TaskRow& row, const std::string& key);
    std::string key;  ///< of an argument or a field
  };

  void AddArguments();
  void AddValues();
  void AddMetrics();
  bool HasColumn(std::string_view name) const;
  const Column* Find(std::string_view name) const;

  std::vector<TaskRow> rows_;
  std::vector<Column> columns_;
};

}  // namespace kinetic::cli
