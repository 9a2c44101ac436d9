#include "kinetic/from_value.h"

#include "kinetic/printable.h"
#include "kinetic/try.h"

#include "base/large_buffer.h"
#include "base/strings.h"
#include "json/bytes.h"
#include "json/content.h"
#include "json/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace kinetic::inline v0 {
namespace {

using from_value::ArrayContent;
using json::Tagged;

std::string_view TagOf(const Value& value) {
  const Value::Map* map = value.AsMap();
  const bool tagged = map != nullptr && map->size() == 1 && map->front().first.starts_with('$');
  return tagged ? std::string_view(map->front().first).substr(1) : std::string_view();
}

std::string KindOf(const Value& value) {
  if (value.IsNull()) return "null";
  if (value.AsBool() != nullptr) return "bool";
  if (value.AsInt() != nullptr) return "integer";
  if (value.AsDouble() != nullptr) return "number";
  if (value.AsString() != nullptr) return "string";
  if (value.AsList() != nullptr) return "list";
  if (value.AsBytes() != nullptr) return "bytes";
  const std::string_view tag = TagOf(value);
  if (tag == "npy") return "array";
  if (tag == "int") return "integer";
  if (tag == "float") return "number";
  return tag.empty() ? "map" : Printable(tag);
}

/// Returns the content of `$typed`, which Python returns as another type, or the value itself.
const Value& WithoutType(const Value& value) {
  const Value* typed = Tagged(value, "$typed");
  const Value* content = typed != nullptr ? typed->Find("value") : nullptr;
  return content != nullptr ? *content : value;
}

/// Returns the fields of a Python dataclass or named tuple, or null.
const Value::Map* FieldsIn(const Value& value) {
  const Value* object = Tagged(value, "$dataclass");
  if (object == nullptr) object = Tagged(value, "$namedtuple");
  const Value* fields = object == nullptr ? nullptr : object->Find("fields");
  return fields == nullptr ? nullptr : fields->AsMap();
}

/// Returns the members of a map, or the fields of a Python object; null for other tagged forms.
const Value::Map* MapIn(const Value& found) {
  const Value& value = WithoutType(found);
  return TagOf(value).empty() ? value.AsMap() : FieldsIn(value);
}

/// Returns the pairs of the tagged form `$dict`, or null.
const Value::List* PairsIn(const Value& value) {
  const Value* dict = Tagged(WithoutType(value), "$dict");
  return dict == nullptr ? nullptr : dict->AsList();
}

/// Returns the key of a pair of `$dict`, if it is a string.
std::optional<std::string_view> KeyOf(const Value& pair) {
  const Value::List* both = pair.AsList();
  if (both == nullptr || both->size() != 2 || both->front().AsString() == nullptr)
    return std::nullopt;
  return *both->front().AsString();
}

Failure OutOfRange(const std::string& number, std::int64_t min, std::uint64_t max,
                   const ValuePath& at) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: expected integer from {} to {}, found {}", at.ToString(), min, max,
                          Printable(number)));
}

/// Returns the digits of the tagged form `$int`, or null.
const std::string* BigInteger(const Value& value) {
  const Value* digits = Tagged(value, "$int");
  return digits == nullptr ? nullptr : digits->AsString();
}

/// Returns a number of any form.
std::optional<double> NumberIn(const Value& value) {
  if (const double* number = value.AsDouble()) return *number;
  if (const std::int64_t* number = value.AsInt()) return static_cast<double>(*number);
  const Value* text = Tagged(value, "$float");
  if (text == nullptr) text = Tagged(value, "$int");
  if (text == nullptr || text->AsString() == nullptr) return std::nullopt;
  double number = 0;
  const std::string& digits = *text->AsString();
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
}

/// Appends the numbers of nested lists in row-major order.
void Flatten(const Value& items, std::vector<const Value*>& numbers) {
  if (const auto* list = items.AsList()) {
    for (const Value& item : *list) Flatten(item, numbers);
  } else {
    numbers.push_back(&items);
  }
}

/// Reads the array of a result, whose items are part of the value if there are few.
Result<ArrayContent> ReadResultArray(const Value& array, const ValuePath& at,
                                     const json::ItemType& expected) {
  const auto dtype = array.As<std::string>("dtype");
  if (!dtype || !json::IsConvertible(*dtype, expected))
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: expected array of {}, found array of {}", at.ToString(),
                            expected.Name(), dtype ? Printable(*dtype) : "unknown type"));
  ArrayContent content;
  KINETIC_ASSIGN_OR_RETURN(content.shape, array.As<std::vector<std::size_t>>("shape"));
  const Value* items = array.Find("items");
  if (items == nullptr)
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: the items of the array are not part of the value", at.ToString()),
                "LoadStored adds them (kinetic/stored_values.h)");
  Flatten(*items, content.numbers);
  if (json::ArrayBytes(content.shape, 1) == content.numbers.size()) return content;
  auto mismatch = json::ShapeMismatch(content.shape, content.numbers.size());
  return Failure(std::move(mismatch).error().Context(at.ToString()));
}

/// Returns a hint with the member whose name is similar, or "".
std::string NearestMember(const Value& value, const ValuePath& at) {
  const auto members = from_value::ReadMembers(value, at);
  if (!members || !at.key) return "";
  std::vector<std::string> names;
  for (const auto& member : *members) names.emplace_back(member.first);
  const auto nearest = Nearest(*at.key, names);
  return nearest ? fmt::format("did you mean {}?", Printable(*nearest)) : "";
}

}  // namespace

std::string ValuePath::ToString() const {
  if (parent == nullptr) return "value";
  if (key) return parent->ToString() + "." + Printable(*key);
  return fmt::format("{}[{}]", parent->ToString(), static_cast<std::int64_t>(index));
}

namespace from_value {

Failure Mismatch(const Value& found, std::string_view expected, const ValuePath& at) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: expected {}, found {}", at.ToString(), expected, KindOf(found)));
}

Result<std::int64_t> ReadSigned(const Value& value, const ValuePath& at, std::int64_t min,
                                std::int64_t max) {
  const auto limit = static_cast<std::uint64_t>(max);
  if (const std::string* digits = BigInteger(value)) return OutOfRange(*digits, min, limit, at);
  const std::int64_t* number = value.AsInt();
  if (number == nullptr) return Mismatch(value, "integer", at);
  if (*number < min || *number > max) return OutOfRange(std::to_string(*number), min, limit, at);
  return *number;
}

Result<std::uint64_t> ReadUnsigned(const Value& value, const ValuePath& at, std::uint64_t max) {
  if (const std::string* digits = BigInteger(value)) {
    std::uint64_t number = 0;
    const char* end = digits->data() + digits->size();
    const auto parsed = std::from_chars(digits->data(), end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end && number <= max) return number;
    return OutOfRange(*digits, 0, max, at);
  }
  const std::int64_t* number = value.AsInt();
  if (number == nullptr) return Mismatch(value, "integer", at);
  if (*number < 0 || static_cast<std::uint64_t>(*number) > max)
    return OutOfRange(std::to_string(*number), 0, max, at);
  return static_cast<std::uint64_t>(*number);
}

Result<double> ReadNumber(const Value& value, const ValuePath& at, double max) {
  const auto number = NumberIn(value);
  if (!number) return Mismatch(value, "number", at);
  if (!std::isfinite(*number) || std::abs(*number) <= max) return *number;
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: expected number up to {:g}, found {:g}",
                                                       at.ToString(), max, *number));
}

Result<Bytes> ReadBytes(const Value& value, const ValuePath& at) {
  const Value* content = Tagged(WithoutType(value), "$bytes");
  if (content == nullptr) return Mismatch(value, "bytes", at);
  if (auto bytes = json::BytesIn(*content)) return *std::move(bytes);
  if (content->Find("$ref") != nullptr)
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: the bytes are not part of the value", at.ToString()),
                "LoadStored adds them (kinetic/stored_values.h)");
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: the bytes are not valid base64", at.ToString()));
}

const Value::List* ListIn(const Value& found) {
  const Value& value = WithoutType(found);
  const Value* tuple = Tagged(value, "$tuple");
  return tuple != nullptr ? tuple->AsList() : value.AsList();
}

bool IsArray(const Value& value) {
  const Value& array = WithoutType(value);
  return Tagged(array, "$npy") != nullptr || Tagged(array, "$array") != nullptr;
}

Failure WrongDimensions(std::size_t found, const ValuePath& at) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: expected array of one dimension, found {}", at.ToString(), found));
}

Failure WrongLength(std::size_t found, std::size_t expected, const ValuePath& at) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: expected {} items, found {}", at.ToString(), expected, found));
}

bool HasMembers(const Value& value) { return MapIn(value) != nullptr || PairsIn(value) != nullptr; }

const Value* MemberIn(const Value& value, std::string_view key) {
  if (const Value::Map* map = MapIn(value)) {
    const auto found = std::ranges::find(*map, key, &Value::Map::value_type::first);
    return found == map->end() ? nullptr : &found->second;
  }
  const Value::List* pairs = PairsIn(value);
  if (pairs == nullptr) return nullptr;
  const auto has_key = [&](const Value& pair) { return KeyOf(pair) && *KeyOf(pair) == key; };
  const auto found = std::ranges::find_if(*pairs, has_key);
  return found == pairs->end() ? nullptr : &found->AsList()->back();
}

Result<std::vector<std::pair<std::string_view, const Value*>>> ReadMembers(const Value& value,
                                                                           const ValuePath& at) {
  std::vector<std::pair<std::string_view, const Value*>> members;
  if (const Value::Map* map = MapIn(value)) {
    for (const auto& [key, member] : *map) members.emplace_back(key, &member);
    return members;
  }
  const Value::List* pairs = PairsIn(value);
  if (pairs == nullptr) return Mismatch(value, "map", at);
  for (const Value& pair : *pairs) {
    const auto key = KeyOf(pair);
    if (!key)
      return Fail(ErrorCode::kInvalidArgument,
                  at.ToString() + ": expected map with strings as keys, found another key");
    members.emplace_back(*key, &pair.AsList()->back());
  }
  return members;
}

void PrepareItems(void* items, std::size_t size_bytes) { PrepareLargeBuffer(items, size_bytes); }

Result<ArrayContent> ReadArray(const Value& found, const ValuePath& at, char kind,
                               std::size_t item_bytes) {
  const Value& value = WithoutType(found);
  const json::ItemType type{kind, item_bytes};
  if (const Value* array = Tagged(value, "$array")) return ReadResultArray(*array, at, type);
  const Value* content = Tagged(value, "$npy");
  if (content == nullptr) return Mismatch(value, "array", at);
  const auto file = json::BytesIn(*content);
  if (!file)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: the array is not valid base64", at.ToString()));
  auto array = json::ReadNpy(*file, type);
  if (!array) return Failure(std::move(array).error().Context(at.ToString()));
  return ArrayContent{std::move(array->shape), std::move(array->file), array->items, {}};
}

std::shared_ptr<void> TakeItems(const Value& value, ArrayContent& content, char kind,
                                std::size_t item_bytes) {
  const json::ItemType type{kind, item_bytes};
  const Value* npy = Tagged(WithoutType(value), "$npy");
  if (npy == nullptr || npy->AsBytes() == nullptr) return nullptr;
  if (!json::Content::HasItems(*npy->AsBytes(), type)) return nullptr;
  content.file.reset();  // it shares the bytes of the value, because the items needed no conversion
  // The caller owns the value, and no longer uses it.
  auto& bytes = const_cast<Bytes&>(*npy->AsBytes());  // NOLINT
  return json::Content::Take(bytes, type);
}

Result<const Value*> FindPart(const Value& value, std::span<ValuePath> steps) {
  const Value* part = &value;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    steps[i].parent = &steps[i - 1];
    const Value::List* list = ListIn(*part);
    const Value* next = nullptr;
    if (steps[i].key) {
      next = MemberIn(*part, *steps[i].key);
      if (!HasMembers(*part)) return Mismatch(*part, "map", steps[i - 1]);
    } else {
      if (list == nullptr) return Mismatch(*part, "list", steps[i - 1]);
      if (steps[i].index < list->size()) next = &(*list)[steps[i].index];
    }
    if (next == nullptr)
      return Fail(ErrorCode::kNotFound, fmt::format("{}: not found", steps[i].ToString()),
                  NearestMember(*part, steps[i]));
    part = next;
  }
  return part;
}

}  // namespace from_value

Value Value::FromMembers(Map members) {
  const auto is_tag = [](const auto& member) { return member.first.starts_with('$'); };
  if (std::ranges::none_of(members, is_tag)) return members;
  List pairs;
  for (auto& [key, member] : members) pairs.emplace_back(List{std::move(key), std::move(member)});
  return Map{{"$dict", std::move(pairs)}};
}

void Value::SetBigInteger(std::uint64_t value) { data_ = Map{{"$int", std::to_string(value)}}; }

Value Value::FromArray(char kind, std::span<const std::byte> items, std::size_t item_bytes,
                       const std::vector<std::size_t>& shape, std::shared_ptr<void> owner) {
  const std::string_view bytes(reinterpret_cast<const char*>(items.data()), items.size());
  const json::ItemType type{kind, item_bytes};
  if (owner != nullptr)
    return Map{{"$npy", Content(json::Content::Share(json::NpyHeader(type, shape),
                                                     {type, std::move(owner), bytes}))}};
  return Map{{"$npy", Content(Bytes(json::WriteNpy(type, bytes, shape)))}};
}

}  // namespace kinetic::inline v0
