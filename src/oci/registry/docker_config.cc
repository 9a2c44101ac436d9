#include "kinetic/value.h"

#include "base/strings.h"
#include "json/document.h"
#include "oci/registry/docker_logins.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace kinetic::oci {
namespace {

constexpr std::uint64_t kMaxDockerConfigBytes = 4U << 20;
constexpr std::string_view kHubKey = "https://index.docker.io/v1/";
constexpr std::string_view kHub = "docker.io";
/// Paths in keys that refer to the whole registry.
constexpr std::array<std::string_view, 6> kRegistryPaths{"", "/", "/v1", "/v1/", "/v2", "/v2/"};

const Value::Map& FieldsOf(const Value& value, std::string_view key) {
  static const Value::Map kNone;
  const Value* member = value.Find(key);
  const Value::Map* map = member != nullptr ? member->AsMap() : nullptr;
  return map != nullptr ? *map : kNone;
}

/// Returns nullopt for an entry whose credential is in a helper.
std::optional<Login> LoginFrom(const Value& entry, const std::string& origin) {
  Login login{.username = json::TextAt(entry, "username"),
              .password = json::TextAt(entry, "password"),
              .identity_token = json::TextAt(entry, "identitytoken"),
              .origin = origin};
  if (const auto both = Base64Decode(json::TextAt(entry, "auth")); both && !both->empty()) {
    const std::size_t colon = both->find(':');
    login.username = both->substr(0, colon);
    // Docker pads passwords with zero bytes.
    std::string password = colon == std::string::npos ? "" : both->substr(colon + 1);
    password.erase(password.find_last_not_of('\0') + 1);
    login.password = std::move(password);
  }
  if (login.password.empty() && login.identity_token.empty()) return std::nullopt;
  return login;
}

/// Returns the registry of a key in `auths`: "https://index.docker.io/v1/" means docker.io. Empty
/// for a key with a repository path, which Docker does not support.
std::string RegistryFromKey(std::string_view key) {
  if (const auto scheme = key.find("://"); scheme != std::string_view::npos) {
    key.remove_prefix(scheme + 3);
  }
  const auto slash = key.find('/');
  const std::string_view path = slash == std::string_view::npos ? "" : key.substr(slash);
  if (std::ranges::find(kRegistryPaths, path) == kRegistryPaths.end()) return {};
  const std::string_view host = key.substr(0, slash);
  if (host == "index.docker.io" || host == "registry-1.docker.io") return std::string(kHub);
  return std::string(host);
}

}  // namespace

std::string KeyForRegistry(const std::string& registry) {
  return registry == kHub ? std::string(kHubKey) : registry;
}

Result<DockerConfig> ReadDockerConfig(FileSystem& fs, const Path& file) {
  const std::string what = "reading the logins in " + Printable(file.native());
  const auto text = ReadFile(fs, file, kMaxDockerConfigBytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return DockerConfig{};
  if (!text) {
    return Fail(ErrorCode::kFailedPrecondition, what + ": " + text.error().message,
                "make it readable, or set DOCKER_CONFIG to another folder");
  }
  // The JSON parser's message may quote a secret.
  const auto value = Value::FromJson(*text);
  if (!value || value->AsMap() == nullptr) {
    return Fail(ErrorCode::kFailedPrecondition, what + ": not a JSON object",
                "recreate it with 'docker login', or set DOCKER_CONFIG to another folder");
  }
  const std::string origin = "the file " + Printable(file.native());
  DockerConfig config;
  for (const auto& [key, entry] : FieldsOf(*value, "auths")) {
    const std::string registry = RegistryFromKey(key);
    auto login = LoginFrom(entry, origin);
    if (!registry.empty() && login) config.logins.emplace(registry, *std::move(login));
  }
  for (const auto& [key, program] : FieldsOf(*value, "credHelpers")) {
    const std::string registry = RegistryFromKey(key);
    if (!registry.empty() && program.AsString() != nullptr) {
      config.helpers.emplace(registry, *program.AsString());
    }
  }
  config.default_helper = json::TextAt(*value, "credsStore");
  return config;
}

}  // namespace kinetic::oci
