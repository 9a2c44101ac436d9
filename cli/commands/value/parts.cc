#include "commands/value/parts.h"

#include "kinetic/try.h"

#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace kinetic::cli {
namespace {

/// Returns the content of the tagged form `{tag: content}`, or null.
const Value* ContentOf(const Value& value, std::string_view tag) {
  const Value::Map* map = value.AsMap();
  return map != nullptr && map->size() == 1 ? value.Find(tag) : nullptr;
}

/// Returns the content of `$typed`, which Python returns as another type, or the value itself.
const Value& WithoutType(const Value& value) {
  const Value* typed = ContentOf(value, "$typed");
  const Value* content = typed != nullptr ? typed->Find("value") : nullptr;
  return content != nullptr ? *content : value;
}

/// Returns the list or map that holds the parts of a value.
const Value* PartsOf(const Value* found) {
  const Value* value = &WithoutType(*found);
  for (const std::string_view tag : {"$tuple", "$set", "$frozenset"})
    if (const Value* items = ContentOf(*value, tag)) return items;
  for (const std::string_view tag : {"$namedtuple", "$dataclass"})
    if (const Value* content = ContentOf(*value, tag))
      if (const Value* fields = content->Find("fields")) return fields;
  return value;
}

/// Reads the steps of "a.b[3]": names and indexes.
class PathReader {
 public:
  explicit PathReader(std::string_view path) : rest_(path) {
    if (rest_.starts_with('$')) rest_.remove_prefix(1);
    if (rest_.starts_with('.')) rest_.remove_prefix(1);
  }

  bool AtEnd() const { return rest_.empty(); }
  bool AtIndex() const { return rest_.starts_with('['); }

  std::string_view TakeName() {
    const std::string_view name = rest_.substr(0, rest_.find_first_of(".["));
    Skip(name.size());
    return name;
  }

  std::optional<std::int64_t> TakeIndex() {
    const std::size_t end = rest_.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    std::int64_t index = 0;
    const char* last = rest_.data() + end;
    const auto parsed = std::from_chars(rest_.data() + 1, last, index);
    if (parsed.ec != std::errc() || parsed.ptr != last) return std::nullopt;
    Skip(end + 1);
    return index;
  }

 private:
  void Skip(std::size_t count) {
    rest_.remove_prefix(count);
    if (rest_.starts_with('.')) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

Failure NoPart(std::string_view path, const Value& holder) {
  std::string hint = "the value is neither an object nor a list";
  if (const Value::List* list = holder.AsList()) {
    hint = fmt::format("the list has {} {}", list->size(), list->size() == 1 ? "item" : "items");
  } else if (const Value::Map* map = holder.AsMap()) {
    constexpr std::size_t kMost = 20;
    std::vector<std::string> names;
    for (const auto& [key, part] : *map)
      if (names.size() < kMost) names.push_back(SafeLine(key));
    hint = fmt::format("its parts are: {}{}", fmt::join(names, ", "),
                       map->size() > kMost ? ", …" : "");
  }
  return Fail(ErrorCode::kNotFound, fmt::format("the value has no part '{}'", SafeLine(path)),
              hint);
}

const Value* Item(const Value& holder, std::int64_t index) {
  const Value::List* list = holder.AsList();
  if (list == nullptr) return nullptr;
  const auto size = static_cast<std::int64_t>(list->size());
  if (index < 0) index += size;
  return index >= 0 && index < size ? &(*list)[static_cast<std::size_t>(index)] : nullptr;
}

void AddArrays(const Value& found, const std::string& path,
               std::vector<std::pair<std::string, const Value*>>& arrays) {
  const Value& value = WithoutType(found);
  if (ContentOf(value, "$array") != nullptr) {
    arrays.emplace_back(path, &value);
    return;
  }
  const Value& parts = *PartsOf(&value);
  if (const Value::List* list = parts.AsList()) {
    for (std::size_t i = 0; i < list->size(); ++i)
      AddArrays((*list)[i], fmt::format("{}[{}]", path, i), arrays);
  } else if (const Value::Map* map = parts.AsMap()) {
    for (const auto& [key, part] : *map)
      AddArrays(part, path.empty() ? key : path + "." + key, arrays);
  }
}

}  // namespace

bool IsDigest(std::string_view reference) {
  constexpr std::string_view kPrefix = "sha256:";
  constexpr std::size_t kDigits = 64;
  if (reference.starts_with(kPrefix)) return true;
  return reference.size() == kDigits &&
         reference.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<const Value*> FindPart(const Value& value, std::string_view path) {
  PathReader reader(path);
  const Value* part = &value;
  while (!reader.AtEnd()) {
    const Value& holder = *PartsOf(part);
    if (reader.AtIndex()) {
      const auto index = reader.TakeIndex();
      if (!index)
        return Fail(ErrorCode::kInvalidArgument,
                    fmt::format("--ref {}: expected a number in brackets", SafeLine(path)));
      part = Item(holder, *index);
    } else {
      part = holder.Find(reader.TakeName());
    }
    if (part == nullptr) return NoPart(path, holder);
  }
  return &WithoutType(*part);
}

Value Displayed(const Value& found) {
  const Value& value = WithoutType(found);
  if (const Value* items = ContentOf(value, "$tuple")) return Displayed(*items);
  if (const Value::List* list = value.AsList()) {
    Value::List shown;
    for (const Value& item : *list) shown.push_back(Displayed(item));
    return shown;
  }
  const Value::Map* map = value.AsMap();
  if (map == nullptr) return value;
  Value::Map shown;
  const Value* reference = value.Find("$ref");
  for (const auto& [key, item] : *map) {
    const bool repeats = key == "sha256" && reference != nullptr && item == *reference;
    if (!repeats) shown.emplace_back(key, Displayed(item));
  }
  return shown;
}

std::vector<std::pair<std::string, const Value*>> ArraysOf(const Value& value) {
  std::vector<std::pair<std::string, const Value*>> arrays;
  AddArrays(value, "", arrays);
  return arrays;
}

}  // namespace kinetic::cli
