#include "output/json_output.h"

#include "kinetic/report.h"

#include "output/plain_output.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

/// Adds a member `NAME_base64` behind each string `NAME` that JSON cannot express because it is not
/// UTF-8, such as the path of a file.
Value WithExactBytes(const Value& value) {
  if (const auto* list = value.AsList()) {
    Value::List items;
    std::ranges::transform(*list, std::back_inserter(items), WithExactBytes);
    return items;
  }
  const auto* map = value.AsMap();
  if (map == nullptr) return value;
  Value::Map members;
  for (const auto& [name, member] : *map) {
    members.emplace_back(name, WithExactBytes(member));
    const std::string* text = member.AsString();
    const auto is_ascii = [](char c) { return static_cast<signed char>(c) >= 0; };
    if (text != nullptr && std::ranges::all_of(*text, is_ascii)) continue;
    if (text == nullptr || *Value::FromJson(member.ToJson()) == member) continue;
    members.emplace_back(name + "_base64", Value::Content(Bytes(*text)));
  }
  return members;
}

}  // namespace

void JsonOutput::Document(const Value& value) {
  const std::lock_guard lock(mutex_);
  const std::string json = WithExactBytes(value).ToJson();
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
