#pragma once

#include "kinetic/result.h"

#include "settings/config_file.h"
#include "settings/environment.h"
#include "settings/table.h"

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace kinetic::cli {

/// From the weakest on; kStandard is a variable that other programs read too.
enum class Origin : std::uint8_t { kDefault, kStandard, kProfile, kJobFile, kEnvironment, kFlag };

std::string_view Name(Origin origin);

/// A setting's value and where it comes from.
struct SettingValue {
  std::string text;
  Origin origin = Origin::kDefault;
  std::string source;  ///< "--store", "KINETIC_STORE", "/home/ana/.config/…/config.yaml:4:12"
};

/// The options that were given on the command line.
using SettingFlags = std::map<SettingId, std::string>;

/// Every setting, resolved.
class Settings {
 public:
  const SettingValue& Get(SettingId id) const { return values_[static_cast<std::size_t>(id)]; }
  const std::string& Text(SettingId id) const { return Get(id).text; }
  std::filesystem::path Path(SettingId id) const { return Get(id).text; }
  void Set(SettingId id, SettingValue value) {
    values_[static_cast<std::size_t>(id)] = std::move(value);
  }

 private:
  std::array<SettingValue, kSettingCount> values_;
};

/// Where the configuration file is: an option, a variable or the default; it need not exist.
Result<SettingValue> ConfigLocation(const SettingFlags& flags, const Surroundings& here);

/// Resolves every setting: option, variable, profile, variable of other programs, default.
///
/// @param job_target  the profile that a job file names, or empty; it gives way to --target alone.
/// @errors  kInvalidArgument: a value that is not of its type, with its source · kNotFound: a
///          profile that is neither built in nor in the file.
Result<Settings> Resolve(const SettingFlags& flags, const Surroundings& here,
                         const ConfigFile& config, const std::string& job_target = {});

/// What an option and the environment say, without the profile; for reporting a broken file.
SettingValue WithoutProfile(SettingId id, const SettingFlags& flags, const Surroundings& here);

}  // namespace kinetic::cli
