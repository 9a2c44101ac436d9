#pragma once

#include "kinetic/log.h"
#include "kinetic/value.h"

#include "base/files/file_system.h"
#include "base/process/subprocess.h"
#include "kube/auth/credential.h"
#include "kube/kubeconfig/config.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::kube {

/// The credential that a plugin printed.
struct PluginOutput {
  Credential credential;
  bool has_expiry = false;  ///< the plugin stated an expiry, besides its certificate's
};

/// Parses the output of a credential plugin: an ExecCredential with a status.
///
/// @param   plugin  begins every message: "the credential plugin aws".
/// @errors  kUnauthenticated. Messages contain nothing of the output.
/// @source  https://kubernetes.io/docs/reference/config-api/client-authentication.v1/
Result<PluginOutput> ParsePluginOutput(std::string_view text, const std::string& api_version,
                                       const std::string& plugin);

/// A cache of plugin credentials in a folder that only its owner can read. Running a plugin takes
/// longer than the rest of a command.
///
/// @threads  safe to call concurrently, also from several processes.
class PluginCredentialCache {
 public:
  /// @param fs, clock  must outlive it.
  /// @param folder     created with mode 0700 when needed; empty: disables the cache.
  PluginCredentialCache(FileSystem& fs, Clock& clock, Path folder)
      : fs_(&fs), clock_(&clock), folder_(std::move(folder)) {}

  /// Returns a credential that is still valid for a while. Ignores files that are damaged or that
  /// others can read or write.
  std::optional<Credential> Find(const std::string& key) const;
  /// Stores a credential. Ignores failures.
  void Store(const std::string& key, const Credential& credential) const;
  void Erase(const std::string& key) const;

 private:
  Path FileOf(const std::string& key) const { return folder_ / (key + ".json"); }

  FileSystem* fs_;
  Clock* clock_;
  Path folder_;
};

/// How to run a credential plugin.
struct PluginOptions {
  std::string search_path;
  std::map<std::string, std::string> environment;  ///< the caller's complete environment
  bool terminal = false;                           ///< whether the plugin may use stdin and stderr
  LogSink* log = nullptr;  ///< receives the plugin's stderr; must outlive the source; may be null
  std::chrono::milliseconds timeout{60'000};
  std::chrono::milliseconds terminal_timeout{600'000};  ///< for plugins that use the terminal
};

/// Credentials from the `exec` plugin of a kubeconfig, or from the cache of its output.
///
/// @source
/// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
class PluginCredentialSource final : public CredentialSource {
 public:
  /// @param cluster  passed to the plugin as spec.cluster; null: omitted.
  PluginCredentialSource(PluginEntry entry, Value cluster, PluginOptions options,
                         PluginCredentialCache cache, Clock& clock);

  /// @errors  kFailedPrecondition (not installed, or needs a terminal) · kUnauthenticated (fails,
  ///          prints an invalid credential, or times out) · kCancelled.
  Result<Credential> Fetch(const Credential* rejected, std::stop_token stop) override;

 private:
  Result<PluginOutput> RunPlugin(const std::stop_token& stop) const;
  Subprocess MakeProcess(std::string& output, std::string& errors) const;
  Status CheckExit(const ExitStatus& status, const std::string& errors) const;
  Result<std::string> RunAndCapture(const std::stop_token& stop) const;
  std::map<std::string, std::string> Environment() const;
  Failure StartFailure(const Error& error) const;
  bool UsesTerminal() const;

  PluginEntry entry_;
  Value cluster_;
  PluginOptions options_;
  PluginCredentialCache cache_;
  Clock* clock_;
  std::string name_;  ///< "the credential plugin aws"
  std::string key_;   ///< of its credential in the cache
};

}  // namespace kinetic::kube
