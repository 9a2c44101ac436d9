#include "commands/value/content.h"

#include "kinetic/try.h"

#include <algorithm>
#include <cstdint>

namespace kinetic::cli {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns the member `tag` of a tagged form, or null.
const Value* Tagged(const Value& value, std::string_view tag) {
  const Value::Map* map = value.AsMap();
  return map != nullptr && map->size() == 1 ? value.Find(tag) : nullptr;
}

}  // namespace

std::optional<std::string> DecodeBase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.size() - std::min(text.find_last_not_of('=') + 1, text.size());
  if (padding > 2) return std::nullopt;
  std::string bytes;
  std::uint32_t bits = 0;
  std::size_t held = 0;
  for (const char c : text.substr(0, text.size() - padding)) {
    const std::size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>((bits >> held) & 0xFFU);
  }
  return bytes;
}

Result<bool> ReadContent(const Job& job, const Value& value, const ContentSink& sink,
                         std::stop_token stop) {
  const Value* content = Tagged(value, "$bytes");
  if (content == nullptr) content = Tagged(value, "$array");
  if (content == nullptr) return false;
  if (const std::string* text = content->AsString(); text != nullptr) {
    const auto bytes = DecodeBase64(*text);
    if (!bytes) return Fail(ErrorCode::kDataLoss, "cannot decode the value: invalid base64");
    KINETIC_RETURN_IF_ERROR(sink(*bytes));
    return true;
  }
  const Value* reference = content->Find("$ref");
  if (reference == nullptr || reference->AsString() == nullptr) return false;
  KINETIC_RETURN_IF_ERROR(job.ReadStored(*reference->AsString(), sink, std::move(stop)));
  return true;
}

}  // namespace kinetic::cli
