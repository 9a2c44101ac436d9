#include "env/install/pip_settings.h"

#include "base/strings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxFileBytes = 1ULL << 20;

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

void ReadVariables(const Variables& environment, Settings& settings) {
  for (const char* const name :
       {"index-url", "extra-index-url", "find-links", "trusted-host", "cert"}) {
    std::string variable = std::string("PIP_") + name;
    std::transform(variable.begin(), variable.end(), variable.begin(), [](char c) {
      return c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    std::string value = VariableOf(environment, variable);
    if (!value.empty()) settings[name] = std::move(value);
  }
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

struct Translation {
  const char* setting;
  std::string_view variable;
  std::string_view preferred;  ///< another name of the variable
  char separator;
};

constexpr std::array<Translation, 4> kTranslations{{
    {"index-url", "UV_INDEX_URL", "UV_DEFAULT_INDEX", ' '},
    {"extra-index-url", "UV_EXTRA_INDEX_URL", "UV_INDEX", ' '},
    {"find-links", "UV_FIND_LINKS", "", ','},
    {"trusted-host", "UV_INSECURE_HOST", "", ' '},
}};

}  // namespace

void AddPipSettings(FileSystem& fs, std::map<std::string, std::string>& environment) {
  Settings settings;
  for (const Path& file : ConfigurationFiles(environment)) {
    if (const auto text = ReadRegularFile(fs, file, kMaxFileBytes))
      ReadConfiguration(*text, settings);
  }
  ReadVariables(environment, settings);
  for (const auto& [setting, variable, preferred, separator] : kTranslations) {
    const auto found = settings.find(setting);
    if (found == settings.end() || environment.contains(std::string(preferred))) continue;
    environment.try_emplace(std::string(variable), WithSeparator(found->second, separator));
  }
  if (!settings["cert"].empty()) environment.try_emplace("SSL_CERT_FILE", settings["cert"]);
}

}  // namespace kinetic::env
