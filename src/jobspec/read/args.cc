#include "base/never_destroyed.h"
#include "base/strings.h"
#include "jobspec/read/context.h"
#include "jobspec/read/csv.h"
#include "jobspec/schema/variable_names.h"
#include "json/npy.h"
#include "json/parse.h"

#include <algorithm>
#include <cmath>

namespace kinetic::jobspec {
namespace {

using json::YamlNode;

constexpr const char* kTooDeep = ": nested deeper than 100 levels";

const std::vector<std::string>& ReferenceKinds() {
  static const auto& kinds =
      NeverDestroyed<std::vector<std::string>>(std::initializer_list<std::string>{
          "$json", "$jsonl", "$csv", "$text", "$npy", "$env", "$path"});
  return kinds;
}

Value Tagged(const char* tag, std::string_view content) {
  return Value(Value::Map{{tag, Value(std::string(content))}});
}

/// Returns a map in the form of docs/reference/values.md. A map with a key that starts with `$`
/// would be read as a tagged value, so it becomes a list of pairs.
Value MapValue(Value::Map map) {
  const bool plain =
      std::ranges::none_of(map, [](const auto& member) { return member.first.starts_with('$'); });
  if (plain) return Value(std::move(map));
  Value::List pairs;
  for (auto& [key, value] : map) {
    pairs.emplace_back(Value::List{Value(key), std::move(value)});
  }
  return Value(Value::Map{{"$dict", Value(std::move(pairs))}});
}

/// Returns the digits of an integer beyond 64 bits.
const std::string* BigIntegerIn(const Value::Map& map) {
  const bool is_one = map.size() == 1 && map.front().first == json::kBigInteger;
  return is_one ? map.front().second.AsString() : nullptr;
}

/// Converts all maps of a value that was read from a file. Returns false if the value is nested too
/// deep for the job's interpreter.
bool TakeAsData(Value& value, int depth) {
  static constexpr int kMaxLevels = 100;
  if (depth > kMaxLevels) return false;
  if (auto* list = value.AsList()) {
    return std::all_of(list->begin(), list->end(),
                       [&](Value& item) { return TakeAsData(item, depth + 1); });
  }
  auto* map = value.AsMap();
  if (map == nullptr) return true;
  if (const auto* digits = BigIntegerIn(*map)) {
    value = Tagged("$int", std::string(*digits));
    return true;
  }
  for (auto& member : *map) {
    if (!TakeAsData(member.second, depth + 1)) return false;
  }
  value = MapValue(std::move(*map));
  return true;
}

/// Returns the values of lines; null after an error.
Value ListOf(std::optional<ArgumentReader::Lines> lines) {
  if (!lines) return {};
  Value::List list;
  list.reserve(lines->size());
  for (auto& line : *lines) list.push_back(std::move(line.first));
  return list;
}

/// Returns the message of the JSON parser about a text of one line, whose number is another in the file.
std::string WithoutLine(std::string message) {
  constexpr std::string_view kLine = "at line 1, ";
  const std::size_t at = message.find(kLine);
  return at == std::string::npos ? message : message.replace(at, kLine.size(), "at ");
}

bool IsReferenceKind(const std::string& key) {
  const auto& kinds = ReferenceKinds();
  return std::ranges::find(kinds, key) != kinds.end();
}

}  // namespace

Value ArgumentReader::Reject(const YamlNode& at, const std::string& where,
                             const std::string& message) {
  context_.diagnostics.Add(at, where + ": " + message);
  return {};
}

Value ArgumentReader::Read(const YamlNode& node, const std::string& where) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return {};
    case YamlNode::Kind::kScalar:
      return ReadScalar(node, where);
    case YamlNode::Kind::kList:
      return ReadList(node, where);
    case YamlNode::Kind::kMap:
      return ReadMap(node, where);
  }
  return {};
}

Value ArgumentReader::ReadScalar(const YamlNode& node, const std::string& where) {
  Value value = json::ToValue(node);
  const auto* number = value.AsDouble();
  if (number == nullptr) return value;
  if (std::isnan(*number)) return Tagged("$float", "nan");
  if (node.text.find_first_of(".eE") != std::string::npos) {
    return std::isinf(*number) ? Tagged("$float", *number > 0 ? "inf" : "-inf") : value;
  }
  if (node.text.starts_with("0x") || node.text.starts_with("0o")) {
    return Reject(node, where, "found " + Found(node) + ", expected a 64-bit integer");
  }
  if (std::isinf(*number)) {
    return Reject(node, where, "the integer " + Found(node) + " is out of range");
  }
  return Tagged("$int", std::string_view(node.text).substr(node.text.starts_with('+') ? 1 : 0));
}

Value ArgumentReader::ReadList(const YamlNode& node, const std::string& where) {
  Value::List list;
  list.reserve(node.items.size());
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    list.push_back(Read(node.items[i], where + "[" + std::to_string(i) + "]"));
  }
  return Value(std::move(list));
}

Value ArgumentReader::ReadMap(const YamlNode& node, const std::string& where) {
  if (node.members.size() == 1 && node.members[0].key.text.starts_with('$')) {
    const auto& [key, name] = node.members[0];
    if (IsReferenceKind(key.text)) return ReadReference(key.text, name, where);
    std::string help = DidYouMean(key.text, ReferenceKinds());
    if (help.empty()) help = "; expected one of " + Join(ReferenceKinds(), ", ");
    return Reject(key, where, "unknown reference " + Found(key) + help);
  }
  Value::Map map;
  map.reserve(node.members.size());
  for (const auto& [key, value] : node.members) {
    if (IsReferenceKind(key.text)) {
      Reject(key, where, Found(key) + " cannot be combined with other keys in its map");
    }
    map.emplace_back(key.text, Read(value, where + "." + key.text));
  }
  return MapValue(std::move(map));
}

bool ArgumentReader::CheckName(const std::string& kind, const YamlNode& name,
                               const std::string& where) {
  const auto text = TextOf(&name);
  if (text && !text->empty() && text->find('\0') == std::string::npos) return true;
  Reject(name, where,
         "found " + Found(name) + " for " + kind + ", expected " +
             (kind == "$env" ? "the name of an environment variable" : "a path"));
  return false;
}

Value ArgumentReader::ReadReference(const std::string& kind, const YamlNode& name,
                                    const std::string& where) {
  if (!CheckName(kind, name, where)) return {};
  if (kind == "$json") return ReadJson(name, where);
  if (kind == "$jsonl") return ListOf(ReadJsonLines(name, where));
  if (kind == "$csv") return ListOf(ReadCsv(name, where));
  if (kind == "$npy") return ReadArray(name, where);
  if (kind == "$env") return ReadVariable(name, where);
  if (kind == "$text") {
    auto content = ReadText(name, where);
    return content ? Value(*std::move(content)) : Value();
  }
  context_.positions.insert_or_assign(where, context_.diagnostics.PositionOf(name));
  return Tagged("$path", context_.AbsolutePath(name).string());
}

std::optional<std::string> ArgumentReader::ReadBytes(const YamlNode& name,
                                                     const std::string& where) {
  const Path path = context_.AbsolutePath(name);
  const auto status = context_.fs.Lstat(path);
  if (status && (status->type == FileType::kDirectory || status->type == FileType::kOther)) {
    Reject(name, where, Found(name) + " is not a regular file");
    return std::nullopt;
  }
  auto content = ReadRegularFile(context_.fs, path, bytes_left_);
  if (!content && content.error().code == ErrorCode::kResourceExhausted && status &&
      status->size_bytes > bytes_left_) {
    Reject(name, where,
           Found(name) + " is " + FormatBytes(status->size_bytes) +
               ", but the limit for all files in args is " + FormatBytes(kMaxArgumentBytes) +
               "; put it in the bundle or data and use $path");
    return std::nullopt;
  }
  if (!content) {
    Reject(name, where, content.error().message);
    return std::nullopt;
  }
  bytes_left_ -= std::min<std::uint64_t>(bytes_left_, content->size());
  return *std::move(content);
}

std::optional<std::string> ArgumentReader::ReadText(const YamlNode& name,
                                                    const std::string& where) {
  auto content = ReadBytes(name, where);
  if (content && !IsUtf8(*content)) {
    Reject(name, where, name.text + " is not valid UTF-8");
    return std::nullopt;
  }
  return content;
}

Value ArgumentReader::ReadArray(const YamlNode& name, const std::string& where) {
  if (!context_.has_function) {
    return Reject(name, where,
                  "$npy passes an array to a `function`; pass a command the file with $path");
  }
  auto content = ReadBytes(name, where);
  if (!content) return {};
  const auto npy = json::SplitNpy(*content);
  if (!npy) return Reject(name, where, Found(name) + " " + npy.error().message);
  return Value::Map{{"$npy", Value::Content(Bytes(*std::move(content)))}};
}

Value ArgumentReader::ReadJson(const YamlNode& name, const std::string& where) {
  const auto content = ReadText(name, where);
  if (!content) return {};
  auto value = json::FromJsonWithBigIntegers(*content);
  if (!value) return Reject(name, where, name.text + ": " + value.error().message);
  if (!TakeAsData(*value, 0)) return Reject(name, where, name.text + kTooDeep);
  return *std::move(value);
}

std::optional<ArgumentReader::Lines> ArgumentReader::ReadJsonLines(const YamlNode& name,
                                                                   const std::string& where) {
  const auto content = ReadText(name, where);
  if (!content) return std::nullopt;
  Lines values;
  int line = 0;
  for (const auto text : Split(*content, '\n')) {
    ++line;
    if (Trim(text).empty()) continue;
    auto value = json::FromJsonWithBigIntegers(text);
    if (!value || !TakeAsData(*value, 0)) {
      const std::string problem = value ? kTooDeep : ": " + WithoutLine(value.error().message);
      Reject(name, where, name.text + ":" + std::to_string(line) + problem);
      return std::nullopt;
    }
    values.emplace_back(*std::move(value), line);
  }
  return values;
}

std::optional<ArgumentReader::Lines> ArgumentReader::ReadCsv(const YamlNode& name,
                                                             const std::string& where) {
  const auto content = ReadText(name, where);
  if (!content) return std::nullopt;
  auto rows = ParseCsv(*content);
  if (!rows) {
    Reject(name, where, name.text + ":" + rows.error().message);
    return std::nullopt;
  }
  for (auto& row : *rows) TakeAsData(row.first, 0);
  return *std::move(rows);
}

std::optional<ArgumentReader::Lines> ArgumentReader::ReadSets(const std::string& kind,
                                                              const YamlNode& name,
                                                              const std::string& where) {
  if (!CheckName(kind, name, where)) return std::nullopt;
  if (kind == "$jsonl") return ReadJsonLines(name, where);
  if (kind == "$csv") return ReadCsv(name, where);
  Value value = ReadJson(name, where);
  auto* list = value.AsList();
  if (list == nullptr) {
    if (context_.diagnostics.ok())
      Reject(name, where, name.text + ": expected a list of argument sets");
    return std::nullopt;
  }
  Lines sets;
  for (auto& item : *list) sets.emplace_back(std::move(item), 0);
  return sets;
}

Value ArgumentReader::ReadVariable(const YamlNode& name, const std::string& where) {
  if (LooksSecret(name.text)) {
    return Reject(name, where,
                  Found(name) +
                      " looks like a secret, and arguments are stored with the job; list it in "
                      "`secrets`");
  }
  const auto found = context_.options.environment.find(name.text);
  if (found == context_.options.environment.end()) {
    return Reject(name, where,
                  "environment variable " + name.text + " is not set; set it or remove $env");
  }
  if (!IsUtf8(found->second)) {
    return Reject(name, where, "environment variable " + name.text + ": " + std::string(kNotUtf8));
  }
  return Value(found->second);
}

}  // namespace kinetic::jobspec
