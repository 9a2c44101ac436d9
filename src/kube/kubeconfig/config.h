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

/// A position in a kubeconfig, for messages.
struct SourceLocation {
  Path file;
  int line = 0;    ///< from 1; 0: unknown
  int column = 0;  ///< from 1

  std::string Text() const;  ///< "/home/ana/.kube/config:12:5"
};

/// A certificate or key as text or in a file. The text takes precedence.
struct Pem {
  std::string text;
  Path file;  ///< absolute
  SourceLocation location;

  bool given() const { return !text.empty() || !file.empty(); }
};

/// Whether a credential plugin uses the terminal.
enum class InteractiveMode : std::uint8_t { kNever, kIfAvailable, kAlways };

/// The `exec` entry of a user: a credential plugin.
struct PluginEntry {
  SourceLocation location;
  std::string command;  ///< a name for the search path, or an absolute path
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to the caller's
  std::string api_version;
  std::string install_hint;
  bool provide_cluster_info = false;
  InteractiveMode interactive = InteractiveMode::kIfAvailable;
};

struct ClusterEntry {
  std::string name;
  SourceLocation location;
  std::string server;
  std::string tls_server_name;
  std::string proxy_url;
  bool insecure = false;
  Pem authority;
  Value plugin_config;  ///< of the extension client.authentication.k8s.io/exec
};

struct UserEntry {
  std::string name;
  SourceLocation location;
  Pem certificate;
  Pem key;
  std::string token;
  Path token_file;  ///< absolute
  std::string username;
  std::string password;
  /// Impersonation headers.
  std::vector<std::pair<std::string, std::string>> impersonation;
  std::optional<PluginEntry> plugin;
  std::string auth_provider;  ///< the predecessor of plugins; not supported
};

struct ContextEntry {
  std::string name;
  SourceLocation location;
  std::string cluster;
  std::string user;
  std::string name_space;
};

/// A kubeconfig, or several merged ones.
struct Kubeconfig {
  std::vector<Path> files;  ///< that exist
  std::string current_context;
  std::vector<ClusterEntry> clusters;
  std::vector<UserEntry> users;
  std::vector<ContextEntry> contexts;
};

/// Parses one file. Ignores unknown fields, as kubectl does.
///
/// @param   path  absolute; relative paths in the file are relative to its folder.
/// @errors  kInvalidArgument, with file, line and column.
/// @source  https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
Result<Kubeconfig> ParseKubeconfig(std::string_view text, const Path& path);

/// Reads and merges files as kubectl does for KUBECONFIG: the first entry of each name is used.
/// Missing files are skipped unless all are missing.
///
/// @errors  kNotFound (no file exists) · those of ParseKubeconfig and FileSystem.
/// @source  https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
Result<Kubeconfig> ReadKubeconfig(FileSystem& fs, std::span<const Path> paths);

}  // namespace kinetic::kube
