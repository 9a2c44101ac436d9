#include "json/document.h"

#include "base/hash/digest.h"

#include <fmt/format.h>

#include <optional>

namespace kinetic::json {
namespace {

constexpr std::string_view kBeforeCheck = ",\n  \"check\": \"";
constexpr std::string_view kBehindCheck = "\"\n}\n";
constexpr std::size_t kHexBytes = 64;

struct Checked {
  std::string_view bytes;
  std::string_view check;
};

/// Splits a document that ends with a checksum.
std::optional<Checked> SplitAtCheck(std::string_view text) {
  if (!text.ends_with(kBehindCheck)) return std::nullopt;
  text.remove_suffix(kBehindCheck.size());
  if (text.size() < kHexBytes + kBeforeCheck.size()) return std::nullopt;
  const auto check = text.substr(text.size() - kHexBytes);
  text.remove_suffix(kHexBytes);
  if (!text.ends_with(kBeforeCheck)) return std::nullopt;
  text.remove_suffix(kBeforeCheck.size());
  return Checked{text, check};
}

}  // namespace

std::string WriteDocument(Value::Map members) {
  constexpr std::string_view kEnd = "\n}";
  std::string text = Value(std::move(members)).ToJson(true);
  text.resize(text.size() - kEnd.size());
  const std::string check = Sha256::Of(text).Hex();
  text.append(kBeforeCheck).append(check).append(kBehindCheck);
  return text;
}

Result<Value> ReadDocument(std::string_view text, std::string_view where) {
  const auto refuse = [&](const std::string& why) {
    return Fail(ErrorCode::kDataLoss, std::string(where) + ": " + why);
  };
  if (text.size() > kMaxDocumentBytes) {
    return refuse(
        fmt::format("it has {} bytes, expected at most {}", text.size(), kMaxDocumentBytes));
  }
  auto value = Value::FromJson(text);
  if (!value) return refuse(value.error().message);
  const auto parts = SplitAtCheck(text);
  if (!parts) return *std::move(value);
  const std::string found = Sha256::Of(parts->bytes).Hex();
  if (found != parts->check) {
    return refuse(
        fmt::format("checksum mismatch: the first {} bytes have the SHA-256 {}, expected {}",
                    parts->bytes.size(), found, parts->check));
  }
  return *std::move(value);
}

std::string TextAt(const Value& value, std::string_view key) {
  const Value* member = value.Find(key);
  const std::string* text = member != nullptr ? member->AsString() : nullptr;
  return text != nullptr ? *text : "";
}

}  // namespace kinetic::json
