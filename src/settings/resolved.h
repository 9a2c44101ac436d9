#pragma once

#include "kinetic/result.h"

#include "settings/sources.h"
#include "settings/table.h"

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::settings {

/// Origins, weakest first. kStandard is a variable that other programs also read.
enum class Origin : std::uint8_t { kDefault, kStandard, kProfile, kJobFile, kEnvironment, kFlag };

std::string_view Name(Origin origin);

/// A setting's value, with its origin.
struct SettingValue {
  std::string text;
  Origin origin = Origin::kDefault;
  std::string source;  ///< "--store", "KINETIC_STORE", "/home/ana/.config/…/config.yaml:4:12"
};

/// The options that were given on the command line.
using SettingFlags = std::map<SettingId, std::string>;

/// All settings, resolved.
class Settings {
 public:
  const SettingValue& Get(SettingId id) const { return values_[static_cast<std::size_t>(id)]; }
  const std::string& Text(SettingId id) const { return Get(id).text; }
  bool IsYes(SettingId id) const { return Text(id) == "yes"; }
  std::filesystem::path Path(SettingId id) const { return Get(id).text; }
  void Set(SettingId id, SettingValue value) {
    values_[static_cast<std::size_t>(id)] = std::move(value);
  }

 private:
  std::array<SettingValue, kSettingCount> values_;
};

/// Returns the location of the configuration file: from an option, a variable or the default. The
/// file need not exist.
Result<SettingValue> ConfigLocation(const SettingFlags& flags, const ProcessEnvironment& process);

/// The profile that a job names, with the location in the job file: "job.yaml:2:9: target". Empty
/// if it names none.
struct JobTarget {
  std::string name;
  std::string place;
};

/// Validates a setting's value and returns it in full form. Paths become absolute.
///
/// @param source  the origin to use in messages.
/// @param base    the folder for relative paths; "~/" is the home directory.
/// @errors        kInvalidArgument: the value does not match the setting's type.
Result<std::string> NormalizeSetting(const SettingInfo& info, std::string_view source,
                                     std::string text, const std::filesystem::path& base,
                                     const ProcessEnvironment& process);

/// Resolves every setting: option, variable, profile, variable of other programs, default.
///
/// @param job  only --target overrides it.
/// @errors  kInvalidArgument: a value of the wrong type, with its source · kNotFound: a profile
///          that is neither built in nor in the file.
Result<Settings> Resolve(const SettingFlags& flags, const ProcessEnvironment& process,
                         const ConfigFile& config, const JobTarget& job = {});

/// Reads the configuration file at ConfigLocation.
///
/// @param required  whether a file that an option or a variable names must exist.
/// @errors  kNotFound · those of ParseConfig.
Result<ConfigFile> ReadConfig(const SettingFlags& flags, const ProcessEnvironment& process,
                              bool required);

/// Resolves a setting from options and the environment, without the profile. Used to report an
/// invalid configuration file.
SettingValue ResolveWithoutProfile(SettingId id, const SettingFlags& flags,
                                   const ProcessEnvironment& process);

}  // namespace kinetic::settings
