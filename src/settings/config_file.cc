#include "kinetic/try.h"

#include "settings/check_value.h"
#include "settings/sources.h"
#include "settings/suggest.h"
#include "settings/table.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <exception>
#include <set>

namespace kinetic::settings {
namespace {

constexpr std::string_view kKind = "kind";
constexpr std::string_view kFirstLine = "# Profiles of kinetic, edited by `kinetic profile`.";

struct Parser {
  const std::filesystem::path& path;

  Failure UsageError(const YAML::Mark& mark, const std::string& what, std::string hint = {}) const {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}:{}:{}: {}", path.string(), mark.line + 1, mark.column + 1, what),
                std::move(hint));
  }

  /// Calls `each` for the members of a map, which may be empty. A duplicate key is an error.
  Status Members(const YAML::Node& node, const std::string& what,
                 const std::function<Status(const std::string&, const YAML::Node& key,
                                            const YAML::Node& value)>& each) const {
    if (node.IsNull()) return {};
    if (!node.IsMap()) return UsageError(node.Mark(), fmt::format("{}: expected a map", what));
    std::set<std::string> seen;
    for (const auto& member : node) {
      if (!member.first.IsScalar()) return UsageError(member.first.Mark(), "expected a name");
      const std::string& key = member.first.Scalar();
      if (!seen.insert(key).second)
        return UsageError(member.first.Mark(), fmt::format("{}: duplicate key '{}'", what, key));
      KINETIC_RETURN_IF_ERROR(each(key, member.first, member.second));
    }
    return {};
  }

  Failure Unknown(const YAML::Node& key, const std::vector<std::string>& known) const {
    const std::string hint = DidYouMean(key.Scalar(), known);
    return UsageError(key.Mark(), fmt::format("unknown key '{}'", key.Scalar()),
                      hint.empty() ? fmt::format("valid keys: {}", fmt::join(known, ", ")) : hint);
  }

  Result<ConfigValue> Scalar(const std::string& key, const YAML::Node& value) const {
    if (!value.IsScalar())
      return UsageError(value.Mark(), fmt::format("{}: expected a value", key));
    return ConfigValue{value.Scalar(), value.Mark().line + 1, value.Mark().column + 1};
  }

  Status Member(ConfigProfile& profile, const YAML::Node& key, const YAML::Node& value) const {
    const std::string& name = key.Scalar();
    KINETIC_ASSIGN_OR_RETURN(ConfigValue scalar, Scalar(name, value));
    const SettingInfo* info = FindSetting(name);
    if (info == nullptr || !info->in_profile) return Unknown(key, ProfileKeys());
    if (const Status checked = CheckSetting(*info, name, scalar.text); !checked)
      return UsageError(value.Mark(), checked.error().message, checked.error().hint);
    profile.values.emplace_back(name, std::move(scalar));
    return {};
  }

  static std::vector<std::string> ProfileKeys() {
    std::vector<std::string> keys;
    for (const SettingInfo& row : SettingsTable())
      if (row.in_profile) keys.emplace_back(row.name);
    return keys;
  }

  Status Profiles(ConfigFile& config, const YAML::Node& node) const {
    return Members(
        node, "profiles",
        [&](const std::string& name, const YAML::Node& key, const YAML::Node& members) -> Status {
          if (const Status valid = CheckProfileName(name); !valid)
            return UsageError(key.Mark(), valid.error().message);
          ConfigProfile profile{.name = name};
          KINETIC_RETURN_IF_ERROR(Members(
              members, name,
              [&](const auto&, const auto& k, const auto& v) { return Member(profile, k, v); }));
          if (const Status fits = CheckProfile(profile); !fits)
            return UsageError(key.Mark(), fits.error().message, fits.error().hint);
          config.profiles.push_back(std::move(profile));
          return {};
        });
  }

  Result<ConfigFile> Parse(const YAML::Node& root) const {
    ConfigFile config{.path = path, .exists = true};
    KINETIC_RETURN_IF_ERROR(Members(
        root, "the file",
        [&](const std::string& key, const YAML::Node& node, const YAML::Node& value) -> Status {
          if (key == "target") {
            KINETIC_ASSIGN_OR_RETURN(config.target, Scalar(key, value));
            return {};
          }
          if (key == "profiles") return Profiles(config, value);
          return Unknown(node, {"target", "profiles"});
        }));
    return config;
  }
};

}  // namespace

std::string ConfigProfile::Kind() const {
  const ConfigValue* kind = Find(kKind);
  return kind == nullptr ? "local" : kind->text;
}

const ConfigValue* ConfigProfile::Find(std::string_view setting) const {
  for (const auto& [key, value] : values)
    if (key == setting) return &value;
  return nullptr;
}

void ConfigProfile::Set(std::string_view setting, std::string text) {
  for (auto& [key, value] : values) {
    if (key != setting) continue;
    value = {std::move(text), 0, 0};
    return;
  }
  values.emplace_back(std::string(setting), ConfigValue{std::move(text), 0, 0});
}

const ConfigProfile* ConfigFile::Find(std::string_view name) const {
  for (const ConfigProfile& profile : profiles)
    if (profile.name == name) return &profile;
  return nullptr;
}

ConfigProfile* ConfigFile::Find(std::string_view name) {
  return const_cast<ConfigProfile*>(std::as_const(*this).Find(name));
}

Status CheckProfile(const ConfigProfile& profile) {
  const std::string kind = profile.Kind();
  if (profile.name == "local" && kind != "local")
    return Fail(ErrorCode::kInvalidArgument, "the profile 'local' is reserved for this machine",
                "choose another name for the cluster's profile");
  for (const auto& [name, value] : profile.values) {
    const SettingInfo* info = FindSetting(name);
    if (info == nullptr || AppliesTo(*info, kind)) continue;
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{}: {} has no effect in a profile of kind {}", profile.name, name, kind),
        fmt::format("valid for kind: {}", info->kinds));
  }
  return {};
}

/// Returns the message of the YAML library in other words.
std::string SyntaxText(const std::string& message) {
  if (message == "end of sequence flow not found") return "unclosed list; add ']'";
  if (message == "end of map flow not found") return "unclosed map; add '}'";
  if (message == "illegal map value") return "unexpected ':'; align the indentation";
  return "invalid YAML: " + message;
}

Result<ConfigFile> ParseConfig(std::string_view text, const std::filesystem::path& path) {
  const Parser parser{path};
  try {
    return parser.Parse(YAML::Load(std::string(text)));
  } catch (const YAML::Exception& error) {
    return parser.UsageError(error.mark, SyntaxText(error.msg));
  } catch (const std::exception& error) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", path.string(), error.what()));
  }
}

bool HasComments(std::string_view text) {
  for (std::size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
    const bool begins =
        at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t' || text[at - 1] == '\n';
    if (begins && !text.substr(at).starts_with(kFirstLine)) return true;
  }
  return false;
}

std::string ConfigText(const ConfigFile& config) {
  std::string text = std::string(kFirstLine) + "\n";
  if (!config.target && config.profiles.empty()) return text;
  YAML::Emitter out;
  out << YAML::BeginMap;
  if (config.target) out << YAML::Key << "target" << YAML::Value << config.target->text;
  if (!config.profiles.empty()) out << YAML::Key << "profiles" << YAML::Value << YAML::BeginMap;
  for (const ConfigProfile& profile : config.profiles) {
    out << YAML::Key << profile.name << YAML::Value << YAML::BeginMap;
    out << YAML::Key << std::string(kKind) << YAML::Value << profile.Kind();
    for (const auto& [name, value] : profile.values)
      if (name != kKind) out << YAML::Key << name << YAML::Value << value.text;
    out << YAML::EndMap;
  }
  if (!config.profiles.empty()) out << YAML::EndMap;
  out << YAML::EndMap;
  return text + out.c_str() + "\n";
}

}  // namespace kinetic::settings
