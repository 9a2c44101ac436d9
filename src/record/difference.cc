#include "jobspec/serialize.h"
#include "record/job_record.h"
#include "record/json_fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinetic::record {
namespace {

/// Formats a value for a message, truncated to 60 bytes.
std::string FormatValue(const Value* value) {
  constexpr std::size_t kMaxFormattedBytes = 60;
  if (value == nullptr) return "absent";
  std::string text = value->ToJson();
  if (text.size() <= kMaxFormattedBytes) return text;
  std::size_t cut = kMaxFormattedBytes;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return text.substr(0, cut) + (value->AsString() != nullptr ? "…\"" : "…");
}

std::optional<std::string> Compare(const std::string& path, const Value* before, const Value* now);

std::optional<std::string> CompareMaps(const std::string& path, const Value& before,
                                       const Value& now) {
  const std::string prefix = path.empty() ? path : path + ".";
  for (const auto& [key, value] : *before.AsMap()) {
    if (auto found = Compare(prefix + key, &value, now.Find(key))) return found;
  }
  for (const auto& [key, value] : *now.AsMap()) {
    if (before.Find(key) == nullptr) return Compare(prefix + key, nullptr, &value);
  }
  return std::nullopt;
}

std::optional<std::string> CompareLists(const std::string& path, const Value::List& before,
                                        const Value::List& now) {
  for (std::size_t i = 0; i < std::max(before.size(), now.size()); ++i) {
    const auto item = [i](const Value::List& list) { return i < list.size() ? &list[i] : nullptr; };
    if (auto found = Compare(fmt::format("{}[{}]", path, i), item(before), item(now))) return found;
  }
  return std::nullopt;
}

std::optional<std::string> Compare(const std::string& path, const Value* before, const Value* now) {
  if (before != nullptr && now != nullptr) {
    if (*before == *now) return std::nullopt;
    if (before->AsMap() != nullptr && now->AsMap() != nullptr) {
      return CompareMaps(path, *before, *now);
    }
    if (before->AsList() != nullptr && now->AsList() != nullptr) {
      return CompareLists(path, *before->AsList(), *now->AsList());
    }
  }
  return fmt::format("{}: {} before, {} now", path, FormatValue(before), FormatValue(now));
}

/// Returns the inputs that determine the job in addition to its spec.
Value OtherInputs(const Record& record) {
  Value::Map map;
  map.emplace_back("bundle tree", record.tree.Hex());
  for (const auto& [path, data] : record.data) {
    map.emplace_back("data tree of " + path, data.tree.Hex());
  }
  for (const auto& [path, data] : record.listed_data) {
    map.emplace_back("data listing of " + path, data.listing.Hex());
  }
  map.emplace_back("arguments", record.arguments.Hex());
  map.emplace_back("environment", TextMapValue(record.environment_inputs));
  map.emplace_back("manifest key", record.manifest_key);
  map.emplace_back("environment id", record.environment_id);
  if (record.environment) map.emplace_back("environment tree", record.environment->tree.Hex());
  map.emplace_back("secret names", TextsValue(record.secret_names));
  map.emplace_back("target identity", record.target_identity);
  return Value(std::move(map));
}

}  // namespace

std::optional<std::string> FirstDifference(const Record& before, const Record& now) {
  // Report a difference in the spec first: users know it better than derived values.
  const Value spec_before = jobspec::ToValue(before.spec);
  const Value spec_now = jobspec::ToValue(now.spec);
  if (auto found = Compare("", &spec_before, &spec_now)) return found;
  const Value inputs_before = OtherInputs(before);
  const Value inputs_now = OtherInputs(now);
  return Compare("", &inputs_before, &inputs_now);
}

}  // namespace kinetic::record
