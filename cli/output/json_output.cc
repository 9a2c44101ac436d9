#include "output/json_output.h"

#include "kinetic/report.h"

#include "output/plain_output.h"

#include <string>
#include <utility>

namespace kinetic::cli {
void JsonOutput::Document(const Value& value) {
  const std::lock_guard lock(mutex_);
  const std::string json = value.ToJson();
  console_.Out((console_.OutIsTerminal() ? SafeJson(json) : json) + "\n");
  console_.Flush();
}

void JsonOutput::JobOutput(Stream, std::string_view bytes, bool raw) {
  const std::lock_guard lock(mutex_);
  const bool unchanged = raw || !console_.ErrIsTerminal();
  console_.Err(unchanged ? std::string(bytes) : filter_.Filter(bytes));
  console_.Flush();
}

void JsonOutput::Warn(std::string_view text) {
  const std::lock_guard lock(mutex_);
  console_.Err("warning: " + SafeLines(text) + "\n");
  console_.Flush();
}

void JsonOutput::Explain(std::string_view text) {
  const std::lock_guard lock(mutex_);
  console_.Err(SafeLines(text));
  console_.Flush();
}

void JsonOutput::ShowError(const Error& error, int exit_code) {
  if (IsStdoutClosed()) return Explain(ReportText(error));  // stderr may still have a reader
  Value::Map details;
  for (const auto& [key, value] : error.details) details.emplace_back(key, value);
  Document(Value::Map{{"error", Value::Map{{"code", std::string(kinetic::Name(error.code))},
                                           {"message", error.message},
                                           {"hint", error.hint},
                                           {"details", std::move(details)},
                                           {"exit_code", exit_code}}}});
}

std::unique_ptr<Progress> JsonOutput::StartProgress() {
  return std::make_unique<WarningsOnly>(*this);
}

bool JsonOutput::IsStdoutClosed() {
  const std::lock_guard lock(mutex_);
  return !console_.OutStatus();
}

void JsonOutput::CloseStdout() {
  const std::lock_guard lock(mutex_);
  console_.CloseOut();
}

Status JsonOutput::Flush() {
  const std::lock_guard lock(mutex_);
  console_.Err(filter_.Finish());
  console_.Flush();
  return console_.OutStatus();
}

}  // namespace kinetic::cli
