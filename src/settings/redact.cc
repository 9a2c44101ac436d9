#include "settings/table.h"

#include <algorithm>
#include <string_view>

namespace kinetic::settings {

std::string RedactedSetting(const SettingInfo& info, const std::string& text) {
  constexpr std::string_view kSecret = "[secret]";
  if (info.type == SettingType::kSecret) return text.empty() ? "" : std::string(kSecret);
  if (info.type != SettingType::kUrl) return text;
  const std::size_t scheme = text.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(text.find('/', begin), text.size());
  const std::size_t at = std::string_view(text).substr(0, end).rfind('@');
  if (at == std::string::npos || at < begin) return text;
  return text.substr(0, begin) + std::string(kSecret) + text.substr(at);
}

}  // namespace kinetic::settings
