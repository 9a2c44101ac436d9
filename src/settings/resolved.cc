#include "settings/resolved.h"

#include "kinetic/profile.h"
#include "kinetic/try.h"

#include "settings/check_value.h"
#include "settings/suggest.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

namespace kinetic::settings {
namespace {

using std::filesystem::path;

path XdgFolder(const ProcessEnvironment& process, const std::string& variable,
               std::string_view otherwise) {
  const path given = process.Variable(variable);
  // The XDG specification requires relative paths to be ignored.
  return (given.is_absolute() ? given : process.home / otherwise) / "kinetic";
}

/// Returns the folder of the command `kinetic` on PATH, or an empty path.
path CommandFolder(const ProcessEnvironment& process) {
  std::istringstream folders(process.Variable("PATH"));
  std::error_code failed;
  for (std::string folder; std::getline(folders, folder, ':');) {
    const path file = std::filesystem::canonical(path(folder) / "kinetic", failed);
    const bool is_program = !failed && std::filesystem::is_regular_file(file, failed) &&
                            ::access(file.c_str(), X_OK) == 0;
    if (path(folder).is_absolute() && is_program) return file.parent_path();
  }
  return {};
}

/// Returns the runner next to this program, or else of the installation that this program, its
/// library (in lib, lib/x86_64-linux-gnu or lib/python3.12/site-packages/kinetic) or the command
/// `kinetic` is part of.
std::string DefaultRunner(const ProcessEnvironment& process) {
  constexpr int kMostLevels = 4;  // of the folder of libraries below the installation
  const path folder = process.executable.parent_path();
  const path installed = "libexec/kinetic/kinetic-runner";
  std::vector<path> candidates{folder / "kinetic-runner", folder.parent_path() / installed};
  path above = process.library.parent_path();
  for (int level = 0; level < kMostLevels; ++level) {
    above = above.parent_path();
    candidates.push_back(above / installed);
  }
  std::error_code ignored;
  for (const path& candidate : candidates)
    if (std::filesystem::exists(candidate, ignored)) return candidate.string();
  const path command = CommandFolder(process);
  for (const path& candidate : {command / "kinetic-runner", command.parent_path() / installed})
    if (!command.empty() && std::filesystem::exists(candidate, ignored)) return candidate.string();
  return (folder / "kinetic-runner").string();
}

std::string Default(SettingId id, const ProcessEnvironment& process) {
  switch (id) {
    case SettingId::kStore:
      return XdgFolder(process, "XDG_DATA_HOME", ".local/share") / "store";
    case SettingId::kStateDir:
      return XdgFolder(process, "XDG_STATE_HOME", ".local/state");
    case SettingId::kCacheDir:
      return XdgFolder(process, "XDG_CACHE_HOME", ".cache");
    case SettingId::kConfig:
      return XdgFolder(process, "XDG_CONFIG_HOME", ".config") / "config.yaml";
    case SettingId::kRunner:
      return DefaultRunner(process);
    case SettingId::kOwner:
      return fmt::format("{}@{}", process.user, process.host);
    case SettingId::kGcloudFolder:
      return process.home / ".config/gcloud";
    case SettingId::kKubeconfig:
      return process.home / ".kube/config";
    case SettingId::kTarget:
    case SettingId::kKind:
    case SettingId::kInCluster:
    case SettingId::kClusterEndpoint:
    case SettingId::kConcurrency:
    case SettingId::kColor:
    case SettingId::kProgress:
    case SettingId::kLogLevel:
    case SettingId::kHttpVersion:
    case SettingId::kRetryFor:
    case SettingId::kMetadataHost:
    case SettingId::kCredentialPrograms:
    case SettingId::kLocalTokenServices:
      return std::string(Info(id).default_text);
    default:
      return {};
  }
}

/// Converts the value of another program's variable to the setting's form. Empty: no value.
std::string StandardText(SettingId id, const std::string& text) {
  if (id == SettingId::kCredentialPrograms) return text == "1" ? "yes" : "";
  return text;
}

/// Makes a path absolute. "~/" is the home directory. Other relative paths start from `base`.
std::string Absolute(const std::string& text, const path& base, const ProcessEnvironment& process) {
  if (text == "~" || text.starts_with("~/"))
    return (process.home / (text.size() > 2 ? text.substr(2) : "")).lexically_normal().string();
  return (base / text).lexically_normal().string();
}

/// Makes each path of "a:b" absolute and skips empty ones.
std::string AllAbsolute(const std::string& text, const path& base,
                        const ProcessEnvironment& process) {
  std::string paths;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin)
      paths +=
          (paths.empty() ? "" : ":") + Absolute(text.substr(begin, end - begin), base, process);
    begin = end + 1;
  }
  return paths;
}

Status Finish(const SettingInfo& info, SettingValue& value, const path& base,
              const ProcessEnvironment& process) {
  KINETIC_ASSIGN_OR_RETURN(
      value.text, NormalizeSetting(info, value.source, std::move(value.text), base, process));
  return {};
}

/// Returns the value from the command line or the environment, if any.
Result<std::optional<SettingValue>> Given(const SettingInfo& info, const SettingFlags& flags,
                                          const ProcessEnvironment& process) {
  SettingValue value;
  if (const auto flag = flags.find(info.id); flag != flags.end())
    value = {flag->second, Origin::kFlag, std::string(info.flag)};
  else if (const std::string& text = process.Variable(std::string(info.variable)); !text.empty())
    value = {text, Origin::kEnvironment, std::string(info.variable)};
  else
    return std::optional<SettingValue>();
  KINETIC_RETURN_IF_ERROR(Finish(info, value, process.directory, process));
  return std::optional(std::move(value));
}

/// Returns the value of another program's variable. It is not validated here: it may be unused, and
/// the code that uses it reports errors.
std::optional<SettingValue> StandardValue(const SettingInfo& info,
                                          const ProcessEnvironment& process) {
  for (const std::string& variable : StandardVariables(info)) {
    std::string text = StandardText(info.id, process.Variable(variable));
    if (text.empty()) continue;
    if (info.type == SettingType::kPath) text = Absolute(text, process.directory, process);
    if (info.type == SettingType::kPaths) text = AllAbsolute(text, process.directory, process);
    return SettingValue{std::move(text), Origin::kStandard, variable};
  }
  return std::nullopt;
}

std::string At(const ConfigFile& config, const ConfigValue& value) {
  return fmt::format("{}:{}:{}", config.path.string(), value.line, value.column);
}

Result<SettingValue> ResolveTarget(const SettingFlags& flags, const ProcessEnvironment& process,
                                   const ConfigFile& config, const JobTarget& job) {
  KINETIC_ASSIGN_OR_RETURN(auto given, Given(Info(SettingId::kTarget), flags, process));
  SettingValue value{"local", Origin::kDefault, ""};
  const bool flag = given && given->origin == Origin::kFlag;
  if (!flag && !job.name.empty())
    value = {job.name, Origin::kJobFile, job.place};
  else if (given)
    value = *given;
  else if (config.target)
    value = {config.target->text, Origin::kProfile, At(config, *config.target)};
  if (value.text == "local" || config.Find(value.text) != nullptr) return value;
  std::vector<std::string> names = {"local"};
  for (const ConfigProfile& profile : config.profiles) names.push_back(profile.name);
  std::string hint = DidYouMean(value.text, names);
  constexpr std::size_t kMostNames = 10;
  if (hint.empty() && names.size() <= kMostNames)
    hint = fmt::format("the profiles are: {}", fmt::join(names, ", "));
  return Fail(ErrorCode::kNotFound, fmt::format("{}: no profile '{}'", value.source, value.text),
              hint.empty() ? "'kinetic profile ls' lists the profiles" : std::move(hint));
}

Result<SettingValue> ResolveOne(const SettingInfo& info, const SettingFlags& flags,
                                const ProcessEnvironment& process, const ConfigFile& config,
                                const ConfigProfile* profile) {
  KINETIC_ASSIGN_OR_RETURN(auto given, Given(info, flags, process));
  if (given) return *std::move(given);
  const ConfigValue* set = profile != nullptr ? profile->Find(info.name) : nullptr;
  if (set == nullptr) {
    if (auto standard = StandardValue(info, process)) return *std::move(standard);
    return SettingValue{Default(info.id, process), Origin::kDefault, ""};
  }
  SettingValue value{set->text, Origin::kProfile, At(config, *set)};
  KINETIC_RETURN_IF_ERROR(Finish(info, value, config.path.parent_path(), process));
  return value;
}

}  // namespace

std::string_view Name(Origin origin) {
  switch (origin) {
    case Origin::kDefault:
      return "default";
    case Origin::kProfile:
      return "profile";
    case Origin::kJobFile:
      return "job file";
    case Origin::kEnvironment:
    case Origin::kStandard:
      return "environment";
    case Origin::kFlag:
      return "option";
  }
  return "default";
}

Result<std::string> NormalizeSetting(const SettingInfo& info, std::string_view source,
                                     std::string text, const path& base,
                                     const ProcessEnvironment& process) {
  KINETIC_RETURN_IF_ERROR(CheckSetting(info, source, text));
  const bool bucket = info.type == SettingType::kStore && IsInBucket(text);
  if (bucket && text.ends_with('/')) text.pop_back();
  const bool folder = info.type == SettingType::kStore && !bucket;
  if (info.type == SettingType::kPaths) return AllAbsolute(text, base, process);
  return info.type == SettingType::kPath || folder ? Absolute(text, base, process) : text;
}

Result<SettingValue> ConfigLocation(const SettingFlags& flags, const ProcessEnvironment& process) {
  return ResolveOne(Info(SettingId::kConfig), flags, process, {}, nullptr);
}

Result<ConfigFile> ReadConfig(const SettingFlags& flags, const ProcessEnvironment& process,
                              bool required) {
  KINETIC_ASSIGN_OR_RETURN(const SettingValue location, ConfigLocation(flags, process));
  KINETIC_ASSIGN_OR_RETURN(ConfigFile config, ReadConfig(location.text));
  if (config.exists || location.origin == Origin::kDefault || !required) return config;
  return Fail(ErrorCode::kNotFound,
              fmt::format("{}: {} does not exist", location.source, location.text));
}

Result<Settings> Resolve(const SettingFlags& flags, const ProcessEnvironment& process,
                         const ConfigFile& config, const JobTarget& job) {
  Settings settings;
  KINETIC_ASSIGN_OR_RETURN(SettingValue target, ResolveTarget(flags, process, config, job));
  const ConfigProfile* profile = config.Find(target.text);
  settings.Set(SettingId::kTarget, std::move(target));
  for (const SettingInfo& info : SettingsTable()) {
    if (info.id == SettingId::kTarget) continue;
    KINETIC_ASSIGN_OR_RETURN(SettingValue value, ResolveOne(info, flags, process, config, profile));
    settings.Set(info.id, std::move(value));
  }
  return settings;
}

SettingValue ResolveWithoutProfile(SettingId id, const SettingFlags& flags,
                                   const ProcessEnvironment& process) {
  const SettingInfo& info = Info(id);
  if (auto given = Given(info, flags, process); given && *given) return **std::move(given);
  if (auto standard = StandardValue(info, process)) return *std::move(standard);
  return {Default(id, process), Origin::kDefault, ""};
}

}  // namespace kinetic::settings
