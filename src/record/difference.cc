#include "jobspec/serialize.h"
#include "record/job_record.h"
#include "record/json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

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

/// Returns the content that determines the job in addition to its spec, as digests. The paths of
/// data are part of the spec.
std::map<std::string, std::string> ContentOf(const Record& record) {
  std::map<std::string, std::string> content{
      {"code", record.tree.Hex()},
      {"arguments", record.arguments.Hex()},
      {"dependencies", record.manifest_key},
      {"environment", record.environment_id},
      {"packages", record.environment ? record.environment->tree.Hex() : ""}};
  for (const auto& [path, data] : record.data) content["data of " + path] = data.tree.Hex();
  for (const auto& [path, data] : record.listed_data)
    content["data of " + path] = data.listing.Hex();
  return content;
}

std::optional<std::string> CompareContent(const Record& before, const Record& now) {
  const auto content_now = ContentOf(now);
  for (const auto& [what, digest] : ContentOf(before)) {
    const auto same = content_now.find(what);
    if (same == content_now.end() || same->second != digest) return what;
  }
  return std::nullopt;
}

/// Returns the other inputs that determine the job.
Value OtherInputs(const Record& record) {
  return Value::Map{{"environment", TextMapValue(record.environment_inputs)},
                    {"secret names", TextsValue(record.secret_names)},
                    {"target identity", record.target_identity}};
}

}  // namespace

std::optional<std::string> FirstDifference(const Record& before, const Record& now) {
  // Report a difference in the spec first: users know it better than derived values.
  JobSpec spec = now.spec;
  // The limit depends on the prices that the client knows.
  if (!spec.max_cost.empty() && spec.max_cost == before.spec.max_cost)
    spec.timeouts.run = before.spec.timeouts.run;
  const Value spec_before = jobspec::ToValue(before.spec);
  const Value spec_now = jobspec::ToValue(spec);
  if (auto found = Compare("", &spec_before, &spec_now)) return found;
  const Value inputs_before = OtherInputs(before);
  const Value inputs_now = OtherInputs(now);
  if (auto found = Compare("", &inputs_before, &inputs_now)) return found;
  return CompareContent(before, now);
}

}  // namespace kinetic::record
