#include "settings/client_options.h"
#include "settings/duration.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace kinetic::settings {
namespace {

/// Returns which of the three credential settings has the strongest origin. The first one wins a
/// tie.
SettingId StrongestCredential(const Settings& settings) {
  constexpr std::array kWays = {SettingId::kAccessToken, SettingId::kTokenFile,
                                SettingId::kCredentials};
  return *std::max_element(kWays.begin(), kWays.end(), [&](SettingId a, SettingId b) {
    return settings.Get(a).origin < settings.Get(b).origin;
  });
}

/// As in Google's libraries, credentials from standard variables are not used for an emulator that
/// the environment specifies.
bool IsDisabledForEmulator(const Settings& settings, SettingId credential) {
  return settings.Get(SettingId::kStorageEndpoint).origin == Origin::kStandard &&
         settings.Get(credential).origin <= Origin::kStandard;
}

void SetCredential(const Settings& settings, const ProcessEnvironment& process,
                   CloudOptions& options) {
  const SettingId nearest = StrongestCredential(settings);
  if (!IsDisabledForEmulator(settings, nearest)) {
    if (nearest == SettingId::kAccessToken) options.access_token = settings.Text(nearest);
    if (nearest == SettingId::kTokenFile) options.token_file = settings.Path(nearest);
    if (nearest == SettingId::kCredentials) options.credential_file = settings.Path(nearest);
  }
  options.well_known_file =
      settings.Path(SettingId::kGcloudFolder) / "application_default_credentials.json";
  const std::string& host = settings.Text(SettingId::kMetadataHost);
  if (host != "none" && process.Variable("NO_GCE_CHECK") != "true") {
    options.metadata_url = WithScheme(host);
  }
}

/// Returns the proxies of the schemes. A proxy of kinetic's own setting is for both; of the
/// variables, only the lowercase one is for plain HTTP, because web servers set HTTP_PROXY from a
/// request.
std::string ProxiesOf(const Settings& settings, const ProcessEnvironment& process) {
  const SettingValue& proxy = settings.Get(SettingId::kProxy);
  if (proxy.origin > Origin::kStandard) return proxy.text;
  std::string plain;
  for (const char* variable : {"ALL_PROXY", "all_proxy", "http_proxy"}) {
    if (const std::string& text = process.Variable(variable); !text.empty()) plain = text;
  }
  if (plain == proxy.text) return plain;
  return "https=" + proxy.text + " http=" + plain;
}

}  // namespace

std::string WithScheme(std::string address) {
  while (address.ends_with('/')) address.pop_back();
  if (address.empty() || address.find("://") != std::string::npos) return address;
  return "http://" + address;
}

CloudOptions CloudOptionsOf(const Settings& settings, const ProcessEnvironment& process) {
  CloudOptions options;
  SetCredential(settings, process, options);
  options.allow_programs = settings.IsYes(SettingId::kCredentialPrograms);
  options.allow_loopback = settings.IsYes(SettingId::kLocalTokenServices);
  if (options.allow_programs) {
    options.search_path = process.Variable("PATH");
    options.environment = process.variables;
  }
  options.quota_project = settings.Text(SettingId::kQuotaProject);
  options.user_project = settings.Text(SettingId::kUserProject);
  options.storage_endpoint = WithScheme(settings.Text(SettingId::kStorageEndpoint));
  options.api_endpoint = WithScheme(settings.Text(SettingId::kApiEndpoint));
  options.proxy = ProxiesOf(settings, process);
  options.no_proxy = settings.Text(SettingId::kNoProxy);
  options.ca_file = settings.Path(SettingId::kCaFile);
  const std::string& version = settings.Text(SettingId::kHttpVersion);
  if (version != "auto")
    options.http_version = version == "1" ? HttpVersion::kOne : HttpVersion::kTwo;
  if (const auto retry_for = ParseDuration(settings.Text(SettingId::kRetryFor)))
    options.retry_for = std::chrono::ceil<std::chrono::seconds>(*retry_for);
  return options;
}

}  // namespace kinetic::settings
