#include "kinetic/value.h"

#include "base/strings.h"
#include "json/parse.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace kinetic::inline v0 {
namespace {

constexpr int kMaxDepth = 500;

std::string Quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string NumberText(double number) {
  if (std::isfinite(number)) return nlohmann::json(number).dump();
  const std::string_view name = std::isnan(number) ? "nan" : (number > 0 ? "inf" : "-inf");
  return fmt::format(R"({{"$float":"{}"}})", name);
}

/// Returns a duplicate key of the map, or null. Parsers disagree on the value of such a key.
const std::string* FindDuplicate(const Value::Map& map) {
  constexpr std::size_t kFew = 16;
  if (map.size() <= kFew) {
    for (std::size_t i = 1; i < map.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (map[k].first == map[i].first) return &map[i].first;
      }
    }
    return nullptr;
  }
  std::vector<const std::string*> keys;
  keys.reserve(map.size());
  for (const auto& [key, value] : map) keys.push_back(&key);
  std::sort(keys.begin(), keys.end(), [](const auto* a, const auto* b) { return *a < *b; });
  const auto at = std::adjacent_find(keys.begin(), keys.end(),
                                     [](const auto* a, const auto* b) { return *a == *b; });
  return at != keys.end() ? *at : nullptr;
}

/// Builds a Value from the parser's events: keeps the order of keys and needs no second tree.
class Builder {
 public:
  explicit Builder(bool keeps_big_integers) : keeps_big_integers_(keeps_big_integers) {}

  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  bool null() { return Add(Value()); }
  bool boolean(bool value) { return Add(Value(value)); }
  bool number_integer(number_integer_t value) { return Add(Value(std::int64_t{value})); }
  bool number_unsigned(number_unsigned_t value) {
    if (value > static_cast<number_unsigned_t>(INT64_MAX))
      return AddBigInteger(std::to_string(value));
    return Add(Value(static_cast<std::int64_t>(value)));
  }
  bool number_float(number_float_t value, const string_t& text) {
    // The parser rounds integers that do not fit in 64 bits to floats.
    if (text.find_first_of(".eE") == string_t::npos) return AddBigInteger(text);
    return Add(Value(value));
  }
  bool string(string_t& value) { return Add(Value(std::move(value))); }
  bool binary(binary_t&) { return false; }

  bool start_object(std::size_t) { return Open(Value(Value::Map())); }
  bool key(string_t& name) {
    key_ = std::move(name);
    return true;
  }
  bool end_object() { return Close(); }
  bool start_array(std::size_t) { return Open(Value(Value::List())); }
  bool end_array() { return Close(); }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) {
    constexpr int kNumberOutOfRange = 406;
    error_position_ = position;
    if (error.id == kNumberOutOfRange)
      return Refuse("the number " + Short(token) + " is out of range");
    return false;
  }

  Value TakeRoot() { return std::move(root_); }
  std::size_t error_position() const { return error_position_; }
  /// Why valid JSON is rejected; empty after a syntax error.
  const std::string& refusal() const { return refusal_; }

 private:
  bool AddBigInteger(const std::string& digits) {
    if (!keeps_big_integers_) return Refuse(TooLarge(digits));
    return Add(Value(Value::Map{{std::string(json::kBigInteger), Value(digits)}}));
  }
  bool Refuse(std::string why) {
    refusal_ = std::move(why);
    return false;
  }
  static std::string Short(std::string_view number) {
    constexpr std::size_t kShown = 40;
    return std::string(number.substr(0, kShown)) + (number.size() > kShown ? "…" : "");
  }
  static std::string TooLarge(std::string_view number) {
    return "the integer " + Short(number) + " does not fit in 64 bits";
  }
  Value* Place(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (auto* list = open_.back()->AsList()) return &list->emplace_back(std::move(value));
    return &open_.back()->AsMap()->emplace_back(std::move(key_), std::move(value)).second;
  }
  bool Add(Value value) {
    Place(std::move(value));
    return true;
  }
  bool Open(Value value) {
    if (open_.size() >= kMaxDepth) {
      return Refuse(fmt::format("JSON is nested deeper than {} levels", kMaxDepth));
    }
    // The parent cannot grow while a child is open, so the pointer stays valid.
    open_.push_back(Place(std::move(value)));
    return true;
  }
  bool Close() {
    const Value::Map* const map = open_.back()->AsMap();
    open_.pop_back();
    const std::string* const twice = map != nullptr ? FindDuplicate(*map) : nullptr;
    if (twice == nullptr) return true;
    return Refuse("duplicate key " + Quoted(twice->substr(0, 100)));
  }

  Value root_;
  std::vector<Value*> open_;
  std::string key_;
  std::size_t error_position_ = 0;
  const bool keeps_big_integers_;
  std::string refusal_;
};

std::string PlaceOf(std::string_view text, std::size_t position) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t i = 0; i + 1 < position && i < text.size(); ++i) {
    ++column;
    if (text[i] == '\n') {
      ++line;
      column = 1;
    }
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Writes JSON text from a Value.
class Writer {
 public:
  explicit Writer(bool indent) : indent_(indent) {}

  void Write(const Value& value) {
    if (const auto* list = value.AsList(); list != nullptr && indent_ && IsRow(*list)) {
      WriteRow(*list);
    } else if (list != nullptr) {
      Open('[');
      for (const auto& item : *list) {
        Separate(&item == list->data());
        Write(item);
      }
      Close(']', list->empty());
    } else if (const auto* map = value.AsMap()) {
      Open('{');
      for (const auto& member : *map) {
        Separate(&member == map->data());
        text_ += Quoted(member.first);
        text_ += indent_ ? ": " : ":";
        Write(member.second);
      }
      Close('}', map->empty());
    } else {
      WriteScalar(value);
    }
  }
  std::string Take() { return std::move(text_); }

 private:
  /// Returns whether the list is written on one line, such as a row of a matrix.
  static bool IsRow(const Value::List& list) {
    constexpr std::size_t kRowItems = 64;
    return !list.empty() && list.size() <= kRowItems &&
           std::all_of(list.begin(), list.end(), [](const Value& item) {
             const auto* text = item.AsString();
             return item.AsList() == nullptr && item.AsMap() == nullptr &&
                    item.AsBytes() == nullptr && (text == nullptr || text->size() <= 16);
           });
  }
  void WriteRow(const Value::List& list) {
    text_ += '[';
    for (const auto& item : list) {
      if (&item != list.data()) text_ += ", ";
      WriteScalar(item);
    }
    text_ += ']';
  }
  void WriteScalar(const Value& value) {
    if (const auto* flag = value.AsBool()) {
      text_ += *flag ? "true" : "false";
    } else if (const auto* integer = value.AsInt()) {
      text_ += std::to_string(*integer);
    } else if (const auto* number = value.AsDouble()) {
      text_ += NumberText(*number);
    } else if (const auto* string = value.AsString()) {
      text_ += Quoted(*string);
    } else if (const auto* bytes = value.AsBytes()) {
      text_ += '"' + Base64Encode(bytes->view()) + '"';
    } else {
      text_ += "null";
    }
  }
  void Open(char bracket) {
    text_ += bracket;
    ++depth_;
  }
  void Separate(bool first) {
    if (!first) text_ += ',';
    NewLine();
  }
  void Close(char bracket, bool empty) {
    --depth_;
    if (!empty) NewLine();
    text_ += bracket;
  }
  void NewLine() {
    if (indent_) text_.append("\n").append(depth_ * 2, ' ');
  }

  const bool indent_;
  std::size_t depth_ = 0;
  std::string text_;
};

}  // namespace

const Value* Value::Find(std::string_view key) const {
  const Map* map = AsMap();
  if (map == nullptr) return nullptr;
  for (const auto& [name, value] : *map) {
    if (name == key) return &value;
  }
  return nullptr;
}

void Value::Set(std::string key, Value value) {
  if (AsMap() == nullptr) data_ = Map();
  for (auto& [name, member] : *AsMap()) {
    if (name != key) continue;
    member = std::move(value);
    return;
  }
  AsMap()->emplace_back(std::move(key), std::move(value));
}

std::string Value::ToJson(bool indent) const {
  Writer writer(indent);
  writer.Write(*this);
  return writer.Take();
}

namespace {

Result<Value> ParseJson(std::string_view text, bool keeps_big_integers) {
  Builder builder(keeps_big_integers);
  if (nlohmann::json::sax_parse(text, &builder)) return builder.TakeRoot();
  if (!builder.refusal().empty()) return Fail(ErrorCode::kInvalidArgument, builder.refusal());
  return Fail(ErrorCode::kInvalidArgument,
              "invalid JSON at " + PlaceOf(text, builder.error_position()));
}

}  // namespace

Result<Value> Value::FromJson(std::string_view text) { return ParseJson(text, false); }

}  // namespace kinetic::inline v0

namespace kinetic::json {

Result<Value> FromJsonWithBigIntegers(std::string_view text) { return ParseJson(text, true); }

}  // namespace kinetic::json
