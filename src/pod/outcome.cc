#include "pod/outcome.h"

#include "base/strings.h"
#include "json/document.h"
#include "record/json_fields.h"

#include <algorithm>
#include <utility>

namespace kinetic::pod {
namespace {

constexpr std::string_view kEllipsisLine = "  […]";

std::string ErrorToJson(const Error& error) {
  return Value(Value::Map{{"code", std::string(Name(error.code))},
                          {"message", error.message},
                          {"hint", error.hint}})
      .ToJson();
}

/// Truncates a text between two characters.
std::string Truncated(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (bytes > 0 && continues(bytes)) --bytes;
  return std::string(text.substr(0, bytes)) + "…";
}

/// Keeps the first and the last lines, which say what failed and why.
std::string WithoutMiddle(std::vector<std::string> lines, std::size_t left_out) {
  lines.erase(lines.begin() + 1, lines.begin() + 1 + static_cast<std::ptrdiff_t>(left_out));
  lines.insert(lines.begin() + 1, std::string(kEllipsisLine));
  return Join(lines, "\n");
}

std::string Shortened(Error error) {
  constexpr std::size_t kLongestLine = 400;
  std::vector<std::string> lines;
  for (const auto line : Split(error.message, '\n')) {
    lines.push_back(Truncated(line, kLongestLine));
  }
  error.hint = Truncated(error.hint, kLongestLine);
  error.message = Join(lines, "\n");
  std::string json = ErrorToJson(error);
  for (std::size_t out = 1; json.size() > kTerminationBytes && out < lines.size(); ++out) {
    error.message = WithoutMiddle(lines, out);
    json = ErrorToJson(error);
  }
  return json;
}

}  // namespace

std::string OutcomeToJson(const Status& outcome) {
  return outcome ? Value(Value::Map{{"code", "OK"}}).ToJson() : Shortened(outcome.error());
}

std::optional<Status> OutcomeFromJson(std::string_view json) {
  const auto value = Value::FromJson(json);
  if (!value || value->AsMap() == nullptr) return std::nullopt;
  json::ObjectReader reader(*value, "the outcome");
  const std::string name = reader.String("code");
  if (name == "OK") return Status();
  Error error;
  error.message = reader.String("message");
  error.hint = reader.String("hint");
  const auto code = record::ParseErrorCode(name);
  if (!reader.Finish() || !code) return std::nullopt;
  error.code = *code;
  return Failure(std::move(error));
}

}  // namespace kinetic::pod
