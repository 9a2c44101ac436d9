#include "env/dependencies/index_settings.h"

#include <algorithm>

namespace kinetic::env {

void AddUrl(std::vector<std::string>& urls, const std::string& url) {
  if (std::find(urls.begin(), urls.end(), url) == urls.end()) urls.push_back(url);
}

void MergeIndexSettings(IndexSettings& index, const IndexSettings& from_file) {
  if (!from_file.url.empty()) index.url = from_file.url;
  for (const auto& url : from_file.extra_urls) AddUrl(index.extra_urls, url);
  for (const auto& url : from_file.find_links) AddUrl(index.find_links, url);
  for (const auto& host : from_file.trusted_hosts) AddUrl(index.trusted_hosts, host);
  index.no_binary = from_file.no_binary;
  index.only_binary = from_file.only_binary;
  index.no_index = from_file.no_index;
  index.pre = from_file.pre;
}

}  // namespace kinetic::env
