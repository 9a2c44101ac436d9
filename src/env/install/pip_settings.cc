#include "env/install/pip_settings.h"

#include "base/strings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxSettingsBytes = 1ULL << 20;

using Variables = std::map<std::string, std::string>;
using Settings = std::map<std::string, std::string>;  ///< "index-url" → value

std::string VariableOf(const Variables& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found != environment.end() ? found->second : std::string();
}

/// Reads the settings that apply to `pip install`. Lines that continue a value are indented.
void ReadConfiguration(std::string_view text, Settings& settings) {
  bool applies = false;
  std::string* value = nullptr;
  for (const auto line : Split(text, '\n')) {
    const std::string_view content = Trim(line);
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    if (value != nullptr && (line.front() == ' ' || line.front() == '\t')) {
      value->append(" ").append(content);
      continue;
    }
    value = nullptr;
    if (content.front() == '[') {
      applies = content == "[global]" || content == "[install]";
      continue;
    }
    const auto separator = content.find_first_of("=:");
    if (!applies || separator == std::string_view::npos) continue;
    std::string name = ToLower(Trim(content.substr(0, separator)));
    std::replace(name.begin(), name.end(), '_', '-');
    value = &settings[name];
    *value = Trim(content.substr(separator + 1));
  }
}

std::vector<Path> ConfigurationFiles(const Variables& environment) {
  const Path named = VariableOf(environment, "PIP_CONFIG_FILE");
  if (named == "/dev/null") return {};
  std::vector<Path> files{"/etc/pip.conf"};
  const Path home = VariableOf(environment, "HOME");
  const Path config = VariableOf(environment, "XDG_CONFIG_HOME");
  if (!home.empty()) files.push_back(home / ".pip/pip.conf");
  if (!config.empty()) {
    files.push_back(config / "pip/pip.conf");
  } else if (!home.empty()) {
    files.push_back(home / ".config/pip/pip.conf");
  }
  if (!named.empty()) files.push_back(named);
  return files;
}

std::string WithSeparator(std::string_view list, char separator) {
  std::string joined;
  for (const auto line : Split(list, '\n')) {
    for (const auto item : Split(line, ' ')) {
      if (Trim(item).empty()) continue;
      if (!joined.empty()) joined += separator;
      joined += Trim(item);
    }
  }
  return joined;
}

/// A setting of pip, pip's variable for it, and those of uv.
struct Translation {
  const char* setting;
  const char* pip_variable;
  const char* uv_variable;
  const char* uv_alternative;  ///< has the same meaning
  char separator;              ///< of uv's list
};

constexpr std::array<Translation, 5> kTranslations{{
    {"index-url", "PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX", ' '},
    {"extra-index-url", "PIP_EXTRA_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_INDEX", ' '},
    {"find-links", "PIP_FIND_LINKS", "UV_FIND_LINKS", "", ','},
    {"trusted-host", "PIP_TRUSTED_HOST", "UV_INSECURE_HOST", "", ' '},
    {"cert", "PIP_CERT", "SSL_CERT_FILE", "", ' '},
}};

}  // namespace

void AddPipSettings(FileSystem& fs, std::map<std::string, std::string>& environment) {
  Settings settings;
  for (const Path& file : ConfigurationFiles(environment)) {
    if (const auto text = ReadRegularFile(fs, file, kMaxSettingsBytes))
      ReadConfiguration(*text, settings);
  }
  for (const auto& each : kTranslations) {
    std::string value = VariableOf(environment, each.pip_variable);
    if (value.empty()) value = settings[each.setting];
    if (value.empty() || environment.contains(each.uv_alternative)) continue;
    environment.try_emplace(each.uv_variable, WithSeparator(value, each.separator));
  }
}

}  // namespace kinetic::env
