#include "json/stored_content.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "json/array_items.h"
#include "json/bytes.h"
#include "json/content.h"
#include "json/npy.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace kinetic::json {
namespace {

constexpr std::size_t kMaxInlineBytes = 64U << 10;
/// Arrays of up to as many items are repeated in the JSON, for display.
constexpr std::size_t kMaxRepeatedItems = 256;

Status CheckText(std::string_view text, const ValuePath& at) {
  if (IsUtf8(text)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              at.ToString() + ": the text is not valid UTF-8; return kinetic::Bytes");
}

/// Takes the items of an array from the front of `items`, as nested lists.
Value Nest(std::span<Value>& items, std::span<const std::size_t> shape) {
  if (shape.empty()) {
    Value item = std::move(items.front());
    items = items.subspan(1);
    return item;
  }
  Value::List nested;
  for (std::size_t i = 0; i < shape.front(); ++i) nested.push_back(Nest(items, shape.subspan(1)));
  return nested;
}

/// Returns the items of a small array as nested lists, or nullopt.
Result<std::optional<Value>> RepeatedItems(const Bytes& file, const NpyDescription& array) {
  if (ArrayBytes(array.shape, 1).value_or(kMaxRepeatedItems + 1) > kMaxRepeatedItems)
    return std::optional<Value>();
  KINETIC_ASSIGN_OR_RETURN(const NpyArray read, ReadNpy(file, array.type));
  auto items = NumbersIn(read.items, array.type);
  if (!items) return std::optional<Value>();
  std::span<Value> rest(*items);
  return std::optional(Nest(rest, read.shape));
}

class ContentWriter {
 public:
  explicit ContentWriter(const ContentSink& store) : store_(store) {}

  Status Write(Value& value, const ValuePath& at) {
    if (const auto* text = value.AsString()) return CheckText(*text, at);
    if (auto* list = value.AsList()) {
      for (std::size_t i = 0; i < list->size(); ++i)
        KINETIC_RETURN_IF_ERROR(Write((*list)[i], ValuePath(at, i)));
    }
    auto* map = value.AsMap();
    if (map == nullptr) return {};
    KINETIC_ASSIGN_OR_RETURN(const bool replaced, Replace(value, at));
    if (replaced) return {};
    for (auto& [key, member] : *map) {
      KINETIC_RETURN_IF_ERROR(CheckText(key, at));
      KINETIC_RETURN_IF_ERROR(Write(member, ValuePath(at, std::string_view(key))));
    }
    return {};
  }

 private:
  /// Stores an array or long bytes. Returns whether the value was one.
  Result<bool> Replace(Value& value, const ValuePath& at) {
    for (const std::string_view tag : {"$npy", "$bytes"}) {
      const Value* content = Tagged(value, tag);
      if (content == nullptr || (content->AsBytes() == nullptr && content->AsString() == nullptr))
        continue;
      const auto bytes = BytesIn(*content);
      if (!bytes)
        return Fail(ErrorCode::kInvalidArgument,
                    at.ToString() + ": the content is not valid base64");
      if (tag == "$bytes" && SizeOf(*bytes) <= kMaxInlineBytes) return true;
      auto reference = tag == "$npy" ? StoreArray(*bytes) : StoreBytes(*bytes);
      if (!reference) return Failure(std::move(reference).error().Context(at.ToString()));
      value = *std::move(reference);
      return true;
    }
    return false;
  }

  Result<Value> StoreBytes(const Bytes& bytes) {
    KINETIC_ASSIGN_OR_RETURN(const Digest digest, store_(bytes));
    const std::string sha256 = digest.Hex();
    return Value::Map{
        {"$bytes",
         Value::Map{{"$ref", sha256}, {"sha256", sha256}, {"size_bytes", SizeOf(bytes)}}}};
  }

  Result<Value> StoreArray(const Bytes& file) {
    KINETIC_ASSIGN_OR_RETURN(const NpyDescription description, DescribeNpy(file));
    KINETIC_ASSIGN_OR_RETURN(auto items, RepeatedItems(file, description));
    KINETIC_ASSIGN_OR_RETURN(const Digest digest, store_(file));
    const std::string sha256 = digest.Hex();
    Value::Map array{{"$ref", sha256},
                     {"sha256", sha256},
                     {"dtype", description.type.Name()},
                     {"shape", description.shape},
                     {"size_bytes", SizeOf(file)}};
    if (items) array.emplace_back("items", *std::move(items));
    return Value::Map{{"$array", std::move(array)}};
  }

  const ContentSink& store_;
};

}  // namespace

Status StoreContent(Value& value, const ContentSink& store) {
  return ContentWriter(store).Write(value, ValuePath());
}

}  // namespace kinetic::json
