#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {

/// One for each row of the settings table, in its order.
enum class SettingId : std::uint8_t {
  kTarget,
  kStore,
  kStateDir,
  kCacheDir,
  kConcurrency,
  kRunner,
  kPython,
  kOwner,
  kColor,
  kProgress,
  kLogLevel,
  kConfig
};
inline constexpr std::size_t kSettingCount = 12;

enum class SettingType : std::uint8_t { kText, kPath, kNumber, kChoice };

/// One setting: everything there is to say about it. Options, `config show`, completion and
/// docs/reference/settings.md are made from these rows.
struct SettingInfo {
  SettingId id;
  std::string_view name;         ///< "state_dir"; also its key in a profile
  std::string_view flag;         ///< "--state-dir"
  std::string_view variable;     ///< "KINETIC_STATE_DIR"
  std::string_view placeholder;  ///< "DIR"
  SettingType type;
  bool in_profile;                ///< whether a profile may set it
  std::string_view choices;       ///< "auto|always|never"; empty: any
  std::string_view default_text;  ///< for people: what it is when nobody sets it
  std::string_view doc;
};

std::span<const SettingInfo> SettingsTable();
const SettingInfo& Info(SettingId id);
const SettingInfo* FindSetting(std::string_view name);
std::vector<std::string> Choices(const SettingInfo& info);

/// docs/reference/settings.md.
std::string SettingsDocument();

}  // namespace kinetic::cli
