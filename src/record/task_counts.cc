#include "record/task_counts.h"

#include "record/json_fields.h"

#include <fmt/format.h>

namespace kinetic::record {
namespace {

/// Returns "10,000".
std::string Grouped(std::uint32_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

}  // namespace

std::string FailureText(const TaskCounts& counts) {
  std::string text;
  const auto add = [&](std::uint32_t number, const char* what) {
    if (number == 0) return;
    text += text.empty()
                ? fmt::format("{} of {} tasks {}", Grouped(number), Grouped(counts.tasks), what)
                : fmt::format(", {} {}", Grouped(number), what);
  };
  add(counts.failed, "failed");
  add(counts.cancelled, "cancelled");
  add(counts.tasks - counts.Ended(), "did not run");
  return text;
}

void Count(JobState state, TaskCounts& counts) {
  if (state == JobState::kSucceeded) {
    ++counts.succeeded;
  } else if (state == JobState::kCancelled) {
    ++counts.cancelled;
  } else {
    ++counts.failed;
  }
}

Value CountsValue(const TaskCounts& counts) {
  return Value(Value::Map{{"tasks", CountValue(counts.tasks)},
                          {"running", CountValue(counts.running)},
                          {"succeeded", CountValue(counts.succeeded)},
                          {"failed", CountValue(counts.failed)},
                          {"cancelled", CountValue(counts.cancelled)}});
}

std::optional<TaskCounts> ReadCounts(json::ObjectReader& reader, std::string_view key) {
  const Value* field = reader.Member(key);
  if (field == nullptr) return std::nullopt;
  json::ObjectReader counts(*field, std::string(key));
  TaskCounts read{ReadUint32(counts, "tasks"), ReadUint32(counts, "running"),
                  ReadUint32(counts, "succeeded"), ReadUint32(counts, "failed"),
                  ReadUint32(counts, "cancelled")};
  if (const Status valid = counts.Finish(); !valid) {
    reader.Reject(key, valid.error().message);
    return std::nullopt;
  }
  return read;
}

std::optional<TaskCounts> CountsFromJson(std::string_view json) {
  const auto value = Value::FromJson(json);
  if (!value || value->AsMap() == nullptr) return std::nullopt;
  const Value document(Value::Map{{"tasks", *value}});
  json::ObjectReader reader(document, "tasks");
  const auto counts = ReadCounts(reader, "tasks");
  return reader.Finish() ? counts : std::nullopt;
}

}  // namespace kinetic::record

namespace kinetic::inline v0 {

std::string TaskCounts::ToString() const {
  std::string text = fmt::format("{}/{} done", record::Grouped(Ended()), record::Grouped(tasks));
  const auto add = [&](std::uint32_t number, const char* what) {
    if (number != 0) text += fmt::format(", {} {}", record::Grouped(number), what);
  };
  add(failed, "failed");
  add(cancelled, "cancelled");
  add(running, "running");
  return text;
}

}  // namespace kinetic::inline v0
