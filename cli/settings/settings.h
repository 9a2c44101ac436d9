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
#include <string_view>
#include <utility>

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

/// The profile that a job names, and where it does: "job.yaml:2:9: target". Empty: it names none.
struct JobTarget {
  std::string name;
  std::string place;
};

/// A setting's value as it was given, checked and in full: paths are absolute.
///
/// @param source  where it was given, as messages name it.
/// @param base    the folder that a relative path starts from; "~/" is the home folder.
/// @errors        kInvalidArgument: it is not of the setting's type.
Result<std::string> InFull(const SettingInfo& info, std::string_view source, std::string text,
                           const std::filesystem::path& base, const Surroundings& here);

/// Resolves every setting: option, variable, profile, variable of other programs, default.
///
/// @param job  gives way to --target alone.
/// @errors  kInvalidArgument: a value that is not of its type, with its source · kNotFound: a
///          profile that is neither built in nor in the file.
Result<Settings> Resolve(const SettingFlags& flags, const Surroundings& here,
                         const ConfigFile& config, const JobTarget& job = {});

/// What an option and the environment say, without the profile; for reporting a broken file.
SettingValue WithoutProfile(SettingId id, const SettingFlags& flags, const Surroundings& here);

}  // namespace kinetic::cli
