#include "kinetic/try.h"

#include "base/strings.h"
#include "http/url.h"
#include "kube/kubeconfig/config.h"
#include "kube/kubeconfig/entry_reader.h"

#include <algorithm>

namespace kinetic::kube {
namespace {

using json::YamlNode;

/// The cluster extension with settings for the credential plugin.
constexpr std::string_view kPluginExtension = "client.authentication.k8s.io/exec";

Result<Value> PluginConfig(EntryReader& cluster, const Path& file) {
  Value config;
  for (const YamlNode* node : cluster.Maps("extensions")) {
    EntryReader reader(*node, file, "extension");
    const std::string name = reader.Text("name");
    const YamlNode* extension = reader.Member("extension");
    KINETIC_RETURN_IF_ERROR(reader.Finish());
    if (name == kPluginExtension && extension != nullptr) config = json::ToValue(*extension);
  }
  return config;
}

Result<ClusterEntry> ReadCluster(const YamlNode& node, const Path& file, const std::string& name) {
  EntryReader reader(node, file, "cluster " + Printable(name));
  ClusterEntry entry;
  entry.server = reader.Text("server");
  entry.tls_server_name = reader.Text("tls-server-name");
  entry.proxy_url = reader.Text("proxy-url");
  entry.insecure = reader.Flag("insecure-skip-tls-verify");
  entry.authority = reader.PemOf("certificate-authority");
  KINETIC_ASSIGN_OR_RETURN(entry.plugin_config, PluginConfig(reader, file));
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return entry;
}

InteractiveMode ReadMode(EntryReader& reader, bool required) {
  const std::string mode = reader.Text("interactiveMode");
  if (mode == "Never") return InteractiveMode::kNever;
  if (mode == "Always") return InteractiveMode::kAlways;
  if (mode != "IfAvailable" && (required || !mode.empty())) {
    reader.Reject(reader.LocationOf("interactiveMode"),
                  "interactiveMode: expected Never, IfAvailable or Always, found " +
                      (mode.empty() ? "nothing" : Printable(mode)));
  }
  return InteractiveMode::kIfAvailable;
}

Status ReadVariables(EntryReader& plugin, const Path& file, PluginEntry& entry) {
  for (const YamlNode* node : plugin.Maps("env")) {
    EntryReader reader(*node, file, "env");
    std::string name = reader.Text("name");
    std::string value = reader.Text("value");
    if (name.empty()) {
      reader.Reject({file, node->line, node->column}, "name: expected a variable name");
    }
    KINETIC_RETURN_IF_ERROR(reader.Finish());
    entry.environment.emplace_back(std::move(name), std::move(value));
  }
  return {};
}

Result<PluginEntry> ReadPlugin(const YamlNode& node, const Path& file, const std::string& user) {
  EntryReader reader(node, file, "exec of user " + Printable(user));
  PluginEntry entry;
  entry.location = {file, node.line, node.column};
  entry.command = reader.Text("command");
  if (entry.command.empty()) reader.Reject(entry.location, "command: expected a program");
  // With a '/' it is a path relative to the file.
  if (entry.command.find('/') != std::string::npos) entry.command = reader.File("command").native();
  entry.arguments = reader.Texts("args");
  entry.api_version = reader.Text("apiVersion");
  if (entry.api_version != "client.authentication.k8s.io/v1" &&
      entry.api_version != "client.authentication.k8s.io/v1beta1") {
    reader.Reject(reader.LocationOf("apiVersion"),
                  "apiVersion: expected client.authentication.k8s.io/v1 or …/v1beta1, found " +
                      (entry.api_version.empty() ? "nothing" : Printable(entry.api_version)));
  }
  entry.install_hint = reader.Text("installHint");
  entry.provide_cluster_info = reader.Flag("provideClusterInfo");
  entry.interactive = ReadMode(reader, entry.api_version.ends_with("/v1"));
  KINETIC_RETURN_IF_ERROR(ReadVariables(reader, file, entry));
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return entry;
}

/// @source
/// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
void ReadImpersonation(EntryReader& reader, const Path& file, UserEntry& entry) {
  auto& fields = entry.impersonation;
  if (auto user = reader.Text("as"); !user.empty()) fields.emplace_back("Impersonate-User", user);
  if (auto uid = reader.Text("as-uid"); !uid.empty()) fields.emplace_back("Impersonate-Uid", uid);
  for (auto& group : reader.Texts("as-groups")) fields.emplace_back("Impersonate-Group", group);
  const YamlNode* extra = reader.Member("as-user-extra");
  if (extra == nullptr) return;
  EntryReader keys(*extra, file, "as-user-extra");
  for (const auto& [key, values] : extra->members) {
    const std::string name = "Impersonate-Extra-" + http::PercentEncode(ToLower(key.text));
    for (auto& value : keys.Texts(key.text)) fields.emplace_back(name, value);
  }
  if (auto read = keys.Finish(); !read)
    reader.Reject(reader.LocationOf("as-user-extra"), "as-user-extra: expected lists of strings");
}

Result<UserEntry> ReadUser(const YamlNode& node, const Path& file, const std::string& name) {
  EntryReader reader(node, file, "user " + Printable(name));
  UserEntry entry;
  entry.certificate = reader.PemOf("client-certificate");
  entry.key = reader.PemOf("client-key");
  entry.token = reader.Text("token");
  entry.token_file = reader.File("tokenFile");
  entry.username = reader.Text("username");
  entry.password = reader.Text("password");
  ReadImpersonation(reader, file, entry);
  if (const YamlNode* provider = reader.Member("auth-provider")) {
    EntryReader old(*provider, file, "auth-provider");
    entry.auth_provider = old.Text("name");
    if (entry.auth_provider.empty()) entry.auth_provider = "without a name";
  }
  if (const YamlNode* plugin = reader.Member("exec")) {
    KINETIC_ASSIGN_OR_RETURN(entry.plugin, ReadPlugin(*plugin, file, name));
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return entry;
}

Result<ContextEntry> ReadContext(const YamlNode& node, const Path& file, const std::string& name) {
  EntryReader reader(node, file, "context " + Printable(name));
  ContextEntry entry;
  entry.cluster = reader.Text("cluster");
  entry.user = reader.Text("user");
  entry.name_space = reader.Text("namespace");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return entry;
}

/// Reads a list of named entries, such as `clusters: [{name: …, cluster: {…}}]`.
template <typename Entry, typename Read>
Status ReadNamed(EntryReader& root, const Path& file, std::string_view key, std::string_view inner,
                 const Read& read, std::vector<Entry>& entries) {
  static const YamlNode kNothing;
  for (const YamlNode* node : root.Maps(key)) {
    EntryReader named(*node, file, std::string(key));
    const std::string name = named.Text("name");
    const SourceLocation location = {file, node->line, node->column};
    if (std::ranges::any_of(entries, [&](const Entry& entry) { return entry.name == name; })) {
      named.Reject(location, "duplicate name '" + Printable(name) + "'");
    }
    KINETIC_RETURN_IF_ERROR(named.Finish());
    const YamlNode* member = named.Member(inner);
    KINETIC_ASSIGN_OR_RETURN(Entry entry, read(member == nullptr ? kNothing : *member, file, name));
    entry.name = name;
    entry.location = location;
    entries.push_back(std::move(entry));
  }
  return {};
}

std::string DetailOf(const Error& error, std::string_view key) {
  for (const auto& [name, value] : error.details) {
    if (name == key) return value;
  }
  return "0";
}

Result<YamlNode> ReadYaml(std::string_view text, const Path& path) {
  auto node = json::ParseYaml(text);
  if (node) return node;
  const Error& error = node.error();
  const SourceLocation location{path,
                                static_cast<int>(ParseInt(DetailOf(error, "line")).value_or(0)),
                                static_cast<int>(ParseInt(DetailOf(error, "column")).value_or(0))};
  return Fail(ErrorCode::kInvalidArgument,
              location.Text() + ": invalid kubeconfig: " + error.message,
              "correct the file, or use another one");
}

}  // namespace

std::string SourceLocation::Text() const {
  std::string name = Printable(file.native());
  if (line == 0) return name;
  return name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

Result<Kubeconfig> ParseKubeconfig(std::string_view text, const Path& path) {
  KINETIC_ASSIGN_OR_RETURN(const YamlNode node, ReadYaml(text, path));
  EntryReader root(node, path, "kubeconfig");
  Kubeconfig config;
  config.files.push_back(path);
  const std::string kind = root.Text("kind");
  if (!kind.empty() && kind != "Config") {
    root.Reject(root.LocationOf("kind"), "kind: expected Config, found " + Printable(kind));
  }
  config.current_context = root.Text("current-context");
  KINETIC_RETURN_IF_ERROR(
      ReadNamed(root, path, "clusters", "cluster", ReadCluster, config.clusters));
  KINETIC_RETURN_IF_ERROR(ReadNamed(root, path, "users", "user", ReadUser, config.users));
  KINETIC_RETURN_IF_ERROR(
      ReadNamed(root, path, "contexts", "context", ReadContext, config.contexts));
  KINETIC_RETURN_IF_ERROR(root.Finish());
  return config;
}

}  // namespace kinetic::kube
