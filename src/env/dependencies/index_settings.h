#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// Where packages come from and in which form: what `--index-url` and its relatives say. URLs are
/// in their shown form: no user, password or query, and `${NAME}` as it was written.
struct IndexSettings {
  std::string url;  ///< the main index; empty: the installer's own default
  std::vector<std::string> extra_urls;
  std::vector<std::string> find_links;     ///< pages with links to packages
  std::vector<std::string> trusted_hosts;  ///< reached without a valid certificate
  std::vector<std::string> no_binary;      ///< package names, ":all:" or ":none:"
  std::vector<std::string> only_binary;
  bool no_index = false;
  bool prefer_binary = false;
  bool pre = false;  ///< pre-releases count
  bool operator==(const IndexSettings&) const = default;
};

/// The full form of each URL whose shown form leaves something out: shown → full. Lives in memory
/// only; never in a key, lock, log or message.
using PrivateUrls = std::map<std::string, std::string>;

/// The shown form of a URL, which may hold `${NAME}`: user, password and query are left out.
std::string ShownUrl(std::string_view url);

/// Index settings that the caller's environment makes (PIP_INDEX_URL, PIP_EXTRA_INDEX_URL,
/// UV_DEFAULT_INDEX, UV_INDEX_URL, UV_INDEX, UV_EXTRA_INDEX_URL); what is left out is added to
/// `secrets`.
IndexSettings IndexFromEnvironment(const std::map<std::string, std::string>& environment,
                                   PrivateUrls& secrets);

/// What a file says, over what the environment says: its formats count alone, its URLs before those
/// of the environment or besides them.
void Overlay(IndexSettings& index, const IndexSettings& from_file);

/// Adds a URL to a list that does not have it.
void AddUrl(std::vector<std::string>& urls, const std::string& url);

}  // namespace kinetic::env
