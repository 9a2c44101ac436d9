#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "env/dependencies/urls.h"
#include "json/document.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// Package indexes and formats, as set by `--index-url` and related options. URLs are redacted: no
/// user, password or query, and `${NAME}` is not expanded.
struct IndexSettings {
  std::string url;  ///< the main index; empty: the installer's default
  std::vector<std::string> extra_urls;
  std::vector<std::string> find_links;     ///< pages with links to packages
  std::vector<std::string> trusted_hosts;  ///< accessed without a valid certificate
  std::vector<std::string> only_binary;    ///< package names, ":all:" or ":none:"
  bool no_index = false;
  bool operator==(const IndexSettings&) const = default;
};

/// Returns the index settings in the caller's environment (PIP_INDEX_URL, PIP_EXTRA_INDEX_URL,
/// UV_DEFAULT_INDEX, UV_INDEX_URL, UV_INDEX, UV_EXTRA_INDEX_URL). Adds URLs with credentials to
/// `secrets`.
IndexSettings IndexSettingsFromEnvironment(const std::map<std::string, std::string>& environment,
                                           PrivateUrls& secrets);

/// Appends a URL unless the list contains it.
void AddUrl(std::vector<std::string>& urls, const std::string& url);

/// JSON form in locks.
Value ToValue(const IndexSettings& index);

/// @param where  prefix of error messages.
/// @errors       kDataLoss.
Result<IndexSettings> IndexSettingsFromValue(const Value& value, std::string where);

Value ToStringList(const std::vector<std::string>& texts);

/// Reads a field that is a list of strings; reports other types to the reader.
std::vector<std::string> ReadStringList(json::ObjectReader& reader, std::string_view key);

}  // namespace kinetic::env
