#include "record/json_fields.h"

#include "kinetic/try.h"

#include "base/time/clock.h"

#include <limits>

namespace kinetic::record {

Status CheckVersion(json::ObjectReader& reader, std::int64_t newest) {
  const std::int64_t version = reader.Int("version");
  if (version < 1) {
    reader.Reject("version", "expected a positive number, found " + std::to_string(version));
  } else if (version > newest) {
    reader.Reject("version", "is " + std::to_string(version) +
                                 ", but this version of kinetic supports at most " +
                                 std::to_string(newest) + "; update kinetic");
  }
  auto checked = reader.Finish();
  if (checked || version <= newest) return checked;
  Error newer = std::move(checked).error();
  newer.code = ErrorCode::kFailedPrecondition;
  return Failure(std::move(newer));
}

WallTime ReadTime(json::ObjectReader& reader, std::string_view key) {
  const std::string text = reader.String(key);
  const auto time = ParseTime(text);
  if (!time) reader.Reject(key, "expected a time, found " + text);
  return time.value_or(WallTime());
}

Digest ReadDigest(json::ObjectReader& reader, std::string_view key) {
  const std::string text = reader.String(key);
  const auto digest = Digest::FromHex(text);
  if (!digest) reader.Reject(key, "expected 64 hex digits, found " + text);
  return digest.value_or(Digest());
}

std::uint32_t ReadUint32(json::ObjectReader& reader, std::string_view key) {
  const std::int64_t number = reader.Int(key);
  if (number < 0 || number > std::numeric_limits<std::uint32_t>::max()) {
    reader.Reject(key, "is out of range: " + std::to_string(number));
    return 0;
  }
  return static_cast<std::uint32_t>(number);
}

std::uint64_t ReadCount(json::ObjectReader& reader, std::string_view key) {
  const std::int64_t number = reader.Int(key);
  if (number < 0) reader.Reject(key, "is negative: " + std::to_string(number));
  return number < 0 ? 0 : static_cast<std::uint64_t>(number);
}

std::string ReadText(json::ObjectReader& reader, std::string_view key) {
  return reader.OptionalString(key).value_or("");
}

std::vector<std::string> ReadTexts(json::ObjectReader& reader, std::string_view key) {
  std::vector<std::string> texts;
  for (const Value& item : reader.List(key)) {
    if (const auto* text = item.AsString()) {
      texts.push_back(*text);
    } else {
      reader.Reject(key, "expected strings, found " + std::string(json::KindOf(item)));
    }
  }
  return texts;
}

std::map<std::string, std::string> ReadTextMap(json::ObjectReader& reader, std::string_view key) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, item] : reader.Map(key)) {
    if (const auto* text = item.AsString()) {
      texts.insert_or_assign(name, *text);
    } else {
      reader.Reject(key, name + ": expected a string, found " + std::string(json::KindOf(item)));
    }
  }
  return texts;
}

std::vector<Moment> ReadMoments(json::ObjectReader& reader, std::string_view key) {
  std::vector<Moment> moments;
  for (const Value& item : reader.List(key)) {
    json::ObjectReader moment(item, "moment");
    moments.push_back(
        {moment.String("name"), ReadTime(moment, "time"), ReadText(moment, "detail")});
    if (const auto read = moment.Finish(); !read) reader.Reject(key, read.error().message);
  }
  return moments;
}

Value TextsValue(const std::vector<std::string>& texts) {
  return Value(Value::List(texts.begin(), texts.end()));
}

Value TextMapValue(const std::map<std::string, std::string>& texts) {
  return Value(Value::Map(texts.begin(), texts.end()));
}

Value MomentsValue(const std::vector<Moment>& moments) {
  Value::List list;
  for (const Moment& moment : moments) {
    Value::Map map = {{"name", moment.name}, {"time", FormatTime(moment.time)}};
    if (!moment.detail.empty()) map.emplace_back("detail", moment.detail);
    list.emplace_back(std::move(map));
  }
  return Value(std::move(list));
}

Value CountValue(std::uint64_t count) { return Value(static_cast<std::int64_t>(count)); }

}  // namespace kinetic::record
