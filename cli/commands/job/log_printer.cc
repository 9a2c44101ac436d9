#include "commands/job/log_printer.h"

#include "kinetic/tasks.h"

#include "commands/tasks/task_option.h"
#include "context.h"
#include "documents.h"
#include "output/text.h"

#include <utility>

namespace kinetic::cli {

LogPrinter::LogPrinter(const Job& job, std::string label, LogLineOptions options,
                       const Context& context)
    : options_(std::move(options)),
      output_(context.output),
      zone_(context.zone),
      id_(label.empty() ? "" : job.id()),
      label_(std::move(label)) {}

bool LogPrinter::IsWanted(const LogRecord& record) const {
  // Messages of kinetic are not job output. In JSON, the record contains its stream.
  return options_.stream ? *options_.stream == Name(record.stream)
                         : record.stream != Stream::kSystem || output_.IsJson();
}

Status LogPrinter::Print(const LogRecord& record) {
  if (IsWanted(record))
    Write(record);
  else if (record.stream == Stream::kSystem && !options_.stream)
    WriteMessage(record);
  return output_.IsStdoutClosed() ? output_.Flush() : Status();
}

void LogPrinter::Finish() {
  if (unprinted_metrics_) PrintMetrics();
  if (!line_.empty()) Flush("\n");
}

std::string LogPrinter::Prefix(const LogRecord& record) const {
  std::string prefix = label_;
  if (options_.timestamps) prefix += FormatTime(record.time, zone_) + " ";
  return prefix;
}

void LogPrinter::WriteMessage(const LogRecord& record) {
  is_empty_ = false;
  const std::string prefix = Prefix(record);
  if (prefix.empty()) return output_.JobOutput(Stream::kSystem, record.text, false);
  output_.Explain(prefix + "kinetic: " + OneLine(record.text) + "\n");
}

void LogPrinter::Write(const LogRecord& record) {
  is_empty_ = false;
  if (output_.IsJson()) return WriteDocument(record);
  if (options_.brief_metrics && record.stream == Stream::kStdout) {
    if (const auto numbers = ParseMetrics(record.text)) return WriteMetrics(*numbers, record);
  }
  if (unprinted_metrics_ && at_line_start_) PrintMetrics();
  EndOtherLine(record);
  if (at_line_start_) line_ += Prefix(record);
  line_ += record.text;
  at_line_start_ = record.text.ends_with('\n') || record.text.ends_with('\r');
  // Lines of several jobs must not be mixed.
  if (id_.empty() || at_line_start_) Flush("");
}

void LogPrinter::WriteMetrics(const Metrics& numbers, const LogRecord& record) {
  constexpr std::chrono::seconds kInterval{1};
  metrics_.Add(numbers);
  unprinted_metrics_ = record;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_metrics_) return;
  next_metrics_ = now + kInterval;
  PrintMetrics();
}

void LogPrinter::PrintMetrics() {
  LogRecord record = *std::exchange(unprinted_metrics_, std::nullopt);
  std::string text = metrics_.Text(kMetricsColumns, false);
  if (text.empty()) return;  // long names
  text += "\n";
  record.text = text;
  EndOtherLine(record);
  if (!at_line_start_) line_ += "\n";
  line_ += Prefix(record) + text;
  at_line_start_ = true;
  Flush("");
}

void LogPrinter::EndOtherLine(const LogRecord& record) {
  if (output_.Columns() > 0 && !options_.raw && unfinished_ && *unfinished_ != record.stream) {
    Flush("\n");
    at_line_start_ = true;
  }
  unfinished_ = record.text.ends_with('\n') ? std::nullopt : std::optional(record.stream);
}

void LogPrinter::WriteDocument(const LogRecord& record) {
  Value document = ToDocument(record);
  if (!id_.empty()) {
    const auto task = FindTaskReference(id_);
    document.Set("id", task ? task->job : id_);
    if (task) document.Set("task", Number(task->task));
  }
  output_.Document(document);
}

void LogPrinter::Flush(std::string_view end) {
  output_.JobOutput(Stream::kStdout, line_.append(end), options_.raw);
  line_.clear();
}

}  // namespace kinetic::cli
