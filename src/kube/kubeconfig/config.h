#pragma once

#include "kinetic/value.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::kube {

/// Where something of a kubeconfig is written.
struct Place {
  Path file;
  int line = 0;    ///< from 1; 0: not known
  int column = 0;  ///< from 1

  std::string Text() const;  ///< "/home/ana/.kube/config:12:5"
};

/// A certificate or key: its text, or the file that has it. The text wins.
struct Pem {
  std::string text;
  Path file;  ///< absolute
  Place place;

  bool given() const { return !text.empty() || !file.empty(); }
};

/// Whether a credential plugin is given the terminal.
enum class Interactive : std::uint8_t { kNever, kIfAvailable, kAlways };

/// A credential plugin as the file names it.
struct PluginEntry {
  Place place;
  std::string command;  ///< a name to be looked up, or an absolute path
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  ///< beside the caller's
  std::string api_version;                                       ///< as the file has it
  std::string install_hint;
  bool provide_cluster_info = false;
  Interactive interactive = Interactive::kIfAvailable;
};

struct ClusterEntry {
  std::string name;
  Place place;
  std::string server;
  std::string tls_server_name;
  std::string proxy_url;
  bool insecure = false;
  Pem authority;
  Value plugin_config;  ///< of the extension client.authentication.k8s.io/exec
};

struct UserEntry {
  std::string name;
  Place place;
  Pem certificate;
  Pem key;
  std::string token;
  Path token_file;  ///< absolute
  std::string username;
  std::string password;
  /// Whom requests are made for: header fields.
  std::vector<std::pair<std::string, std::string>> impersonation;
  std::optional<PluginEntry> plugin;
  std::string auth_provider;  ///< what it was before there were plugins
};

struct ContextEntry {
  std::string name;
  Place place;
  std::string cluster;
  std::string user;
  std::string name_space;
};

/// One kubeconfig, or several as one.
struct Config {
  std::vector<Path> files;  ///< that were there
  std::string current_context;
  std::vector<ClusterEntry> clusters;
  std::vector<UserEntry> users;
  std::vector<ContextEntry> contexts;
};

/// Parses one file. What is not known is passed over, as kubectl does.
///
/// @param   path  absolute; relative paths in the file start from its folder.
/// @errors  kInvalidArgument: the file, with line and column.
/// @source  https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
Result<Config> ParseConfig(std::string_view text, const Path& path);

/// Reads files as kubectl reads those of KUBECONFIG: of each name the first entry counts, whole. Of
/// several files, those that are absent are passed over; one alone must be there.
///
/// @errors  kNotFound (no such file) · those of ParseConfig and FileSystem.
/// @source  https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
Result<Config> ReadConfig(FileSystem& fs, std::span<const Path> paths);

}  // namespace kinetic::kube
