#include "base/time/clock.h"
#include "support/gcs_server/errors.h"
#include "support/gcs_server/object.h"

#include <algorithm>
#include <array>

namespace kinetic::gcs_server {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 7> kTexts{
    "contentType",  "contentEncoding", "contentDisposition", "contentLanguage",
    "cacheControl", "storageClass",    "customTime"};
constexpr std::array<std::string_view, 5> kMissing{"temporaryHold", "eventBasedHold", "retention",
                                                   "kmsKeyName", "contexts"};

bool IsText(const std::string& key) {
  return std::find(kTexts.begin(), kTexts.end(), key) != kTexts.end();
}

Outcome<void> CheckMetadata(const json& metadata) {
  if (metadata.is_null()) return {};
  if (!metadata.is_object()) return Refuse(Invalid("Invalid value for metadata"));
  for (const auto& [key, value] : metadata.items()) {
    if (!value.is_string() && !value.is_null()) {
      return Refuse(Invalid("Invalid value for metadata." + key + ": not a string"));
    }
  }
  return {};
}

/// Returns whether clients set this field. Others are ignored, as by Google.
Outcome<bool> IsSettable(const std::string& key, const json& value) {
  if (std::find(kMissing.begin(), kMissing.end(), key) != kMissing.end() && !value.is_null()) {
    if (value == false) return false;
    return Refuse(NotImplemented(key));
  }
  if (key == "metadata") {
    if (auto checked = CheckMetadata(value); !checked) return Refuse(checked.error());
    return true;
  }
  if (!IsText(key)) return false;
  if (!value.is_string() && !value.is_null()) return Refuse(Invalid("Invalid value for " + key));
  if (key == "customTime" && value.is_string() && !ParseTime(value.get<std::string>())) {
    return Refuse(Invalid("Invalid value for customTime: no RFC 3339 time"));
  }
  return true;
}

/// Merges one field. Null removes it.
void Merge(json& attributes, const std::string& key, const json& value) {
  if (value.is_null()) {
    attributes.erase(key);
  } else if (key == "metadata") {
    attributes[key].merge_patch(value);
    if (attributes[key].empty()) attributes.erase(key);
  } else if (key == "customTime") {
    attributes[key] = TimeText(*ParseTime(value.get<std::string>()));
  } else {
    attributes[key] = value;
  }
}

Outcome<void> CheckCustomTime(const json& before, const json& patch) {
  if (!before.contains("customTime") || !patch.contains("customTime")) return {};
  const json& wanted = patch["customTime"];
  const auto old = ParseTime(before["customTime"].get<std::string>());
  const auto time = wanted.is_string() ? ParseTime(wanted.get<std::string>()) : std::nullopt;
  if (time && old && *time >= *old) return {};
  return Refuse(
      Invalid("The customTime of an object can neither be removed nor set to a time "
              "earlier than the one it has."));
}

}  // namespace

Outcome<json> ReadAttributes(const json& resource) {
  json attributes = json::object();
  if (auto merged = PatchAttributes(attributes, resource); !merged) return Refuse(merged.error());
  return attributes;
}

Outcome<void> PatchAttributes(json& attributes, const json& patch) {
  if (auto checked = CheckCustomTime(attributes, patch); !checked) return checked;
  json merged = attributes;
  for (const auto& [key, value] : patch.items()) {
    const auto settable = IsSettable(key, value);
    if (!settable) return Refuse(settable.error());
    if (*settable) Merge(merged, key, value);
  }
  attributes = std::move(merged);
  return {};
}

}  // namespace kinetic::gcs_server
