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

struct PluginAnswer {
  Credential credential;
  bool says_end = false;  ///< the expiry is the plugin's word, and not only its certificate's
};

/// What a credential plugin printed: an ExecCredential with a status.
///
/// @param   where  begins every message: "the credential plugin aws".
/// @errors  kUnauthenticated: what is wrong with it, without any of its text.
/// @source  https://kubernetes.io/docs/reference/config-api/client-authentication.v1/
Result<PluginAnswer> ReadPluginAnswer(std::string_view text, const std::string& api_version,
                                      const std::string& where);

/// Credentials that plugins gave, until they expire, in a folder that nobody but its owner can look
/// into: a plugin takes longer than everything else that a command does.
///
/// @threads  safe to call concurrently, also from several processes.
class PluginStore {
 public:
  /// Both outlive it. @param folder  made, 0700, when it is needed; empty: nothing is kept.
  PluginStore(FileSystem& fs, Clock& clock, Path folder)
      : fs_(&fs), clock_(&clock), folder_(std::move(folder)) {}

  /// One that lasts a while yet. A file that is not its owner's alone, or is damaged, is none.
  std::optional<Credential> Find(const std::string& key) const;
  /// What cannot be kept is no fault.
  void Keep(const std::string& key, const Credential& credential) const;
  void Forget(const std::string& key) const;

 private:
  Path FileOf(const std::string& key) const { return folder_ / (key + ".json"); }

  FileSystem* fs_;
  Clock* clock_;
  Path folder_;
};

/// What a credential plugin is run with.
struct PluginSurroundings {
  std::string search_path;
  std::map<std::string, std::string> environment;  ///< the caller's, all of it
  bool terminal = false;   ///< it may have the caller's standard input and error
  LogSink* log = nullptr;  ///< told what it writes to stderr; outlives the source; may be null
  /// How long it may take. Somebody at a terminal needs longer.
  std::chrono::milliseconds patience{60'000};
  std::chrono::milliseconds terminal_patience{600'000};
};

/// Credentials from the program that a kubeconfig names (`exec`), or from where it left the last
/// one.
///
/// @source
/// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
class PluginSource final : public CredentialSource {
 public:
  /// @param cluster  what the plugin is told of the cluster; null: nothing.
  PluginSource(PluginEntry entry, Value cluster, PluginSurroundings surroundings, PluginStore store,
               Clock& clock);

  /// @errors  kFailedPrecondition (it is not installed, or wants a terminal) · kUnauthenticated (it
  ///          fails, prints what is no credential, or takes too long) · kCancelled.
  Result<Credential> Fetch(const Credential* refused, std::stop_token stop) override;

 private:
  Result<PluginAnswer> RunIt(const std::stop_token& stop) const;
  Subprocess Program(std::string& output, std::string& complaint) const;
  Status Judge(const ExitStatus& status, const std::string& complaint) const;
  Result<std::string> Output(const std::stop_token& stop) const;
  std::map<std::string, std::string> Environment() const;
  Failure NotStarted(const Error& error) const;
  bool UsesTerminal() const;

  PluginEntry entry_;
  Value cluster_;
  PluginSurroundings surroundings_;
  PluginStore store_;
  Clock* clock_;
  std::string where_;  ///< "the credential plugin aws"
  std::string key_;    ///< names its last credential in the store
};

}  // namespace kinetic::kube
