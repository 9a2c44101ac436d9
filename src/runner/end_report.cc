#include "runner/end_report.h"

#include "kinetic/value.h"

#include "base/try.h"
#include "json/reader.h"
#include "runner/masker.h"
#include "runner/verdict.h"

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
  json::ObjectReader reader(value, "end.json: error");
  Error error;
  const std::int64_t code = reader.Int("code");
  if (code < 0 || code > static_cast<std::int64_t>(ErrorCode::kInternal)) {
    reader.Reject("code", "is none");
  } else {
    error.code = static_cast<ErrorCode>(code);
  }
  error.message = reader.String("message");
  error.hint = reader.String("hint");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return error;
}

Value EndValue(const ProgramEnd& end) {
  Value::List messages;
  for (const auto& message : end.messages) messages.emplace_back(ToJson(message));
  Value::Map map{{"exit_code", end.exit.code},
                 {"signal", end.exit.signal},
                 {"stopped", end.stopped},
                 {"out_of_time", end.out_of_time},
                 {"out_of_memory", end.out_of_memory},
                 {"lingered", std::string(kLingered.at(static_cast<std::size_t>(end.lingered)))},
                 {"left_behind", static_cast<std::int64_t>(end.left_behind)},
                 {"peak_memory_bytes", static_cast<std::int64_t>(end.peak_memory_bytes)},
                 {"messages", std::move(messages)}};
  if (end.control_fault) map.emplace_back("control_fault", ErrorValue(*end.control_fault));
  return map;
}

Result<ProgramEnd> EndFrom(const Value& value) {
  json::ObjectReader reader(value, "end.json: end");
  ProgramEnd end;
  end.exit.code = static_cast<int>(reader.Int("exit_code"));
  end.exit.signal = static_cast<int>(reader.Int("signal"));
  end.stopped = reader.Bool("stopped");
  end.out_of_time = reader.Bool("out_of_time");
  end.out_of_memory = reader.Bool("out_of_memory");
  const std::string lingered = reader.String("lingered");
  for (std::size_t i = 0; i < kLingered.size(); ++i) {
    if (kLingered.at(i) == lingered) end.lingered = static_cast<Lingered>(i);
  }
  end.left_behind = static_cast<std::size_t>(reader.Int("left_behind"));
  end.peak_memory_bytes = static_cast<std::uint64_t>(reader.Int("peak_memory_bytes"));
  for (const auto& item : reader.List("messages")) {
    if (item.AsString() == nullptr) {
      reader.Reject("messages", "expected strings");
      break;
    }
    KINETIC_ASSIGN_OR_RETURN(auto message, ParseShimMessage(*item.AsString()));
    if (message) end.messages.push_back(*std::move(message));
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  if (const Value* fault = reader.Member("control_fault")) {
    KINETIC_ASSIGN_OR_RETURN(end.control_fault, ErrorFrom(*fault));
  }
  return end;
}

}  // namespace

void MaskReport(EndReport& report, const std::vector<std::string>& secrets) {
  if (secrets.empty()) return;
  if (report.fault) {
    report.fault->message = Masked(report.fault->message, secrets);
    report.fault->hint = Masked(report.fault->hint, secrets);
  }
  if (!report.end) return;
  for (auto& message : report.end->messages) {
    message.reason = Masked(message.reason, secrets);
    message.detail = Masked(message.detail, secrets);
    if (message.exception) MaskException(*message.exception, secrets);
  }
}

std::string ToJson(const EndReport& report) {
  Value::Map map{{"version", 1},
                 {"began", report.began},
                 {"next_record", static_cast<std::int64_t>(report.next_record)}};
  if (report.end) map.emplace_back("end", EndValue(*report.end));
  if (report.fault) map.emplace_back("fault", ErrorValue(*report.fault));
  return Value(std::move(map)).ToJson();
}

Result<EndReport> EndReportFromJson(std::string_view json) {
  auto value = Value::FromJson(json);
  if (!value) return Fail(ErrorCode::kDataLoss, "end.json: " + value.error().message);
  json::ObjectReader reader(*value, "end.json");
  EndReport report;
  if (reader.Int("version") != 1) reader.Reject("version", "made by another version of kinetic");
  report.began = reader.Bool("began");
  report.next_record = static_cast<std::uint64_t>(reader.Int("next_record"));
  const Value* end = reader.Member("end");
  const Value* fault = reader.Member("fault");
  if ((end == nullptr) == (fault == nullptr)) reader.Reject("end", "expected it, or a fault");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  if (end != nullptr) {
    KINETIC_ASSIGN_OR_RETURN(report.end, EndFrom(*end));
  } else {
    KINETIC_ASSIGN_OR_RETURN(report.fault, ErrorFrom(*fault));
  }
  return report;
}

}  // namespace kinetic::runner
