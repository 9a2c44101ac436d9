#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::settings {

/// One for each row of the settings table, in the same order.
enum class SettingId : std::uint8_t {
  kTarget,
  kStore,
  kStateDir,
  kCacheDir,
  kConcurrency,
  kDataCache,
  kRunner,
  kPython,
  kOwner,
  kColor,
  kProgress,
  kLogLevel,
  kTrace,
  kCredentials,
  kTokenFile,
  kAccessToken,
  kQuotaProject,
  kUserProject,
  kStorageEndpoint,
  kApiEndpoint,
  kProxy,
  kNoProxy,
  kCaFile,
  kHttpVersion,
  kRetryFor,
  kMetadataHost,
  kGcloudFolder,
  kCredentialPrograms,
  kLocalTokenServices,
  kKind,
  kKubeconfig,
  kContext,
  kNamespace,
  kServiceAccount,
  kInCluster,
  kProject,
  kLocation,
  kCluster,
  kClusterEndpoint,
  kImage,
  kRunnerImage,
  kEnvironments,
  kEnvironmentImages,
  kContainerEngine,
  kBuildRegion,
  kBuildMachine,
  kBuildServiceAccount,
  kBuildTimeout,
  kBuildEndpoint,
  kPlainRegistries,
  kNodeAhead,
  kPackagesMedium,
  kRunnerEndpoint,
  kRunnerCredentials,
  kConfig
};
inline constexpr std::size_t kSettingCount = static_cast<std::size_t>(SettingId::kConfig) + 1;

/// kPaths is a list separated by ':'. kStore is a folder or "gs://bucket/folder". kUrl may contain
/// a password.
enum class SettingType : std::uint8_t {
  kText,
  kPath,
  kPaths,
  kNumber,
  kChoice,
  kStore,
  kUrl,
  kSecret
};

/// One setting. Options, `config show`, completion and docs/reference/settings.md are generated
/// from these rows.
struct SettingInfo {
  SettingId id;
  std::string_view name;         ///< "state_dir"; also its key in a profile
  std::string_view flag;         ///< "--state-dir"; empty: set only by a variable
  std::string_view variable;     ///< "KINETIC_STATE_DIR"
  std::string_view placeholder;  ///< "DIR"
  SettingType type;
  bool in_profile;                ///< whether a profile may set it
  std::string_view choices;       ///< "auto|always|never"; empty: any
  std::string_view default_text;  ///< description of the default, for documentation
  std::string_view doc;
  /// Variables of other programs that apply if nothing else provides the setting, in order:
  /// "https_proxy HTTPS_PROXY".
  std::string_view standard = {};
  std::string_view kinds = {};  ///< target kinds, "kubernetes|gke"; empty: all
};

std::span<const SettingInfo> SettingsTable();
const SettingInfo& Info(SettingId id);
const SettingInfo* FindSetting(std::string_view name);
std::vector<std::string> Choices(const SettingInfo& info);
std::vector<std::string> StandardVariables(const SettingInfo& info);
/// Returns whether the setting has an effect on targets of that kind.
bool AppliesTo(const SettingInfo& info, std::string_view kind);

/// Returns docs/reference/settings.md.
std::string SettingsDocument();

/// Returns a setting's value for display. An access token becomes "[secret]", and a password in an
/// address is removed.
std::string RedactedSetting(const SettingInfo& info, const std::string& text);

}  // namespace kinetic::settings
