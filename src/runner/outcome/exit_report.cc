#include "kinetic/try.h"
#include "kinetic/value.h"

#include "json/document.h"
#include "runner/outcome/classify.h"

#include <array>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::array<std::string_view, 3> kLingered{"no", "grace", "run_limit"};

Value ErrorValue(const Error& error) {
  return Value::Map{{"code", static_cast<std::int64_t>(error.code)},
                    {"message", error.message},
                    {"hint", error.hint}};
}

Result<Error> ErrorFrom(const Value& value) {
  json::ObjectReader reader(value, "report.json: error");
  Error error;
  const std::int64_t code = reader.Int("code");
  if (code < 0 || code > static_cast<std::int64_t>(ErrorCode::kInternal)) {
    reader.Reject("code", "is not an error code");
  } else {
    error.code = static_cast<ErrorCode>(code);
  }
  error.message = reader.String("message");
  error.hint = reader.String("hint");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return error;
}

Value ExitValue(const ProgramExit& exit) {
  Value::List messages;
  for (const auto& message : exit.messages) messages.emplace_back(ToJson(message));
  Value::Map map{{"exit_code", exit.status.code},
                 {"signal", exit.status.signal},
                 {"stopped", exit.stopped},
                 {"timed_out", exit.timed_out},
                 {"out_of_memory", exit.out_of_memory},
                 {"lingered", std::string(kLingered.at(static_cast<std::size_t>(exit.lingered)))},
                 {"remaining_processes", static_cast<std::int64_t>(exit.remaining_processes)},
                 {"peak_memory_bytes", static_cast<std::int64_t>(exit.peak_memory_bytes)},
                 {"messages", std::move(messages)},
                 {"python_error", exit.python_error}};
  if (exit.control_fault) map.emplace_back("control_fault", ErrorValue(*exit.control_fault));
  return map;
}

int SmallNumber(json::ObjectReader& reader, std::string_view key, int limit) {
  const std::int64_t number = reader.Int(key);
  if (number >= 0 && number <= limit) return static_cast<int>(number);
  reader.Reject(key, "is out of range: " + std::to_string(number));
  return 0;
}

Result<ProgramExit> ExitFrom(const Value& value) {
  json::ObjectReader reader(value, "report.json: end");
  ProgramExit exit;
  exit.status.code = SmallNumber(reader, "exit_code", 255);
  exit.status.signal = SmallNumber(reader, "signal", 127);
  exit.stopped = reader.Bool("stopped");
  exit.timed_out = reader.Bool("timed_out");
  exit.out_of_memory = reader.Bool("out_of_memory");
  const std::string lingered = reader.String("lingered");
  for (std::size_t i = 0; i < kLingered.size(); ++i) {
    if (kLingered.at(i) == lingered) exit.lingered = static_cast<LingerLimit>(i);
  }
  exit.remaining_processes = static_cast<std::size_t>(reader.Int("remaining_processes"));
  exit.peak_memory_bytes = static_cast<std::uint64_t>(reader.Int("peak_memory_bytes"));
  for (const auto& item : reader.List("messages")) {
    if (item.AsString() == nullptr) {
      reader.Reject("messages", "expected a list of strings");
      break;
    }
    KINETIC_ASSIGN_OR_RETURN(auto message, ParseShimMessage(*item.AsString()));
    if (message) exit.messages.push_back(*std::move(message));
  }
  exit.python_error = reader.String("python_error");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  if (const Value* fault = reader.Member("control_fault")) {
    KINETIC_ASSIGN_OR_RETURN(exit.control_fault, ErrorFrom(*fault));
  }
  return exit;
}

}  // namespace

std::string ToJson(const ExitReport& report) {
  Value::Map map{{"version", 1},
                 {"began", report.began},
                 {"next_record", static_cast<std::int64_t>(report.next_record)}};
  if (report.exit) map.emplace_back("end", ExitValue(*report.exit));
  if (report.fault) map.emplace_back("fault", ErrorValue(*report.fault));
  return Value(std::move(map)).ToJson();
}

Result<ExitReport> ExitReportFromJson(std::string_view json) {
  auto value = Value::FromJson(json);
  if (!value) return Fail(ErrorCode::kDataLoss, "report.json: " + value.error().message);
  json::ObjectReader reader(*value, "report.json");
  ExitReport report;
  if (reader.Int("version") != 1)
    reader.Reject("version", "was written by another version of kinetic");
  report.began = reader.Bool("began");
  report.next_record = static_cast<std::uint64_t>(reader.Int("next_record"));
  const Value* end = reader.Member("end");
  const Value* fault = reader.Member("fault");
  if ((end == nullptr) == (fault == nullptr))
    reader.Reject("end", "expected either 'end' or 'fault'");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  if (end != nullptr) {
    KINETIC_ASSIGN_OR_RETURN(report.exit, ExitFrom(*end));
  } else {
    KINETIC_ASSIGN_OR_RETURN(report.fault, ErrorFrom(*fault));
  }
  return report;
}

}  // namespace kinetic::runner
