#include "runner/device_answer.h"

#include "kinetic/value.h"

#include "base/strings.h"
#include "json/reader.h"

namespace kinetic::runner {
namespace {

constexpr std::size_t kMaxWords = 300;

}  // namespace

std::string LastWords(std::string_view text) {
  text = Trim(text);
  const std::size_t line = text.rfind('\n');
  if (line != std::string_view::npos) text = Trim(text.substr(line + 1));
  if (text.size() <= kMaxWords) return Printable(text);
  std::size_t end = kMaxWords;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not within a character
  return Printable(text.substr(0, end)) + "…";
}

std::optional<DeviceAnswer> DeviceAnswerFrom(std::string_view framework, std::string_view said,
                                             std::string_view complaint) {
  const auto value = Value::FromJson(said);
  if (!value) return std::nullopt;
  DeviceAnswer answer{.framework = std::string(framework)};
  if (value->IsNull()) return answer;
  json::ObjectReader reader(*value, answer.framework);
  answer.kind = DeviceAnswer::Kind::kAnswered;
  answer.version = Printable(reader.String("version"));
  answer.supported = reader.Bool("supported");
  for (const auto& [platform, count] : reader.Map("devices")) {
    if (count.AsInt() == nullptr) return std::nullopt;
    answer.devices.emplace(Printable(platform), *count.AsInt());
  }
  const std::string refusal = reader.String("refusal");
  answer.said = LastWords(Trim(refusal).empty() ? complaint : refusal);
  if (!reader.Finish()) return std::nullopt;
  return answer;
}

}  // namespace kinetic::runner
