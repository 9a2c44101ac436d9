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

constexpr std::uint64_t kMaxLoginFileBytes = 4U << 20;
constexpr std::string_view kHubKey = "https://index.docker.io/v1/";
constexpr std::string_view kHub = "docker.io";
/// Behind the host in a key that is about the whole registry.
constexpr std::array<std::string_view, 6> kPathsOfAll{"", "/", "/v1", "/v1/", "/v2", "/v2/"};

const Value::Map& Members(const Value& value, std::string_view key) {
  static const Value::Map kNone;
  const Value* member = value.Find(key);
  const Value::Map* map = member != nullptr ? member->AsMap() : nullptr;
  return map != nullptr ? *map : kNone;
}

/// Nothing: an entry without a credential, as a file has whose credentials a program keeps.
std::optional<Login> LoginOf(const Value& entry, const std::string& origin) {
  Login login{.username = json::TextAt(entry, "username"),
              .password = json::TextAt(entry, "password"),
              .identity_token = json::TextAt(entry, "identitytoken"),
              .origin = origin};
  if (const auto both = Base64Decode(json::TextAt(entry, "auth")); both && !both->empty()) {
    const std::size_t colon = both->find(':');
    login.username = both->substr(0, colon);
    // Docker pads what it writes with zero bytes.
    std::string password = colon == std::string::npos ? "" : both->substr(colon + 1);
    password.erase(password.find_last_not_of('\0') + 1);
    login.password = std::move(password);
  }
  if (login.password.empty() && login.identity_token.empty()) return std::nullopt;
  return login;
}

}  // namespace

std::string RegistryOfKey(std::string_view key) {
  if (const auto scheme = key.find("://"); scheme != std::string_view::npos) {
    key.remove_prefix(scheme + 3);
  }
  const auto slash = key.find('/');
  const std::string_view path = slash == std::string_view::npos ? "" : key.substr(slash);
  if (std::ranges::find(kPathsOfAll, path) == kPathsOfAll.end()) return {};
  const std::string_view host = key.substr(0, slash);
  if (host == "index.docker.io" || host == "registry-1.docker.io") return std::string(kHub);
  return std::string(host);
}

std::string KeyOfRegistry(const std::string& registry) {
  return registry == kHub ? std::string(kHubKey) : registry;
}

Result<DockerConfig> ReadDockerConfig(FileSystem& fs, const Path& file) {
  const std::string what = "reading the logins in " + Printable(file.native());
  const auto text = ReadFile(fs, file, kMaxLoginFileBytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return DockerConfig{};
  if (!text) {
    return Fail(ErrorCode::kFailedPrecondition, what + ": " + text.error().message,
                "make it readable, or name another folder in DOCKER_CONFIG");
  }
  // What the reader of JSON says of a mistake may quote a secret.
  const auto value = Value::FromJson(*text);
  if (!value || value->AsMap() == nullptr) {
    return Fail(ErrorCode::kFailedPrecondition, what + ": it is no JSON object",
                "write it anew with 'docker login', or name another folder in DOCKER_CONFIG");
  }
  const std::string origin = "the file " + Printable(file.native());
  DockerConfig config;
  for (const auto& [key, entry] : Members(*value, "auths")) {
    const std::string registry = RegistryOfKey(key);
    auto login = LoginOf(entry, origin);
    if (!registry.empty() && login) config.logins.emplace(registry, *std::move(login));
  }
  for (const auto& [key, program] : Members(*value, "credHelpers")) {
    const std::string registry = RegistryOfKey(key);
    if (!registry.empty() && program.AsString() != nullptr) {
      config.programs.emplace(registry, *program.AsString());
    }
  }
  config.program = json::TextAt(*value, "credsStore");
  return config;
}

}  // namespace kinetic::oci
