#include "env/dependencies/index_settings.h"

#include <algorithm>

namespace kinetic::env {

void AddUrl(std::vector<std::string>& urls, const std::string& url) {
  if (std::find(urls.begin(), urls.end(), url) == urls.end()) urls.push_back(url);
}

}  // namespace kinetic::env
