#include "env/dockerfile/engine_logins.h"

#include "kinetic/value.h"

#include "base/strings.h"
#include "base/try.h"
#include "oci/registry/docker_logins.h"

#include <utility>

namespace kinetic::env {
namespace {

constexpr std::string_view kConfigName = "config.json";

Value LoginEntry(const oci::Login& login) {
  // Docker wants a name also where the token alone counts.
  const std::string user = login.username.empty() ? "<token>" : login.username;
  Value::Map entry{{"auth", Base64Encode(user + ":" + login.password)}};
  if (!login.identity_token.empty()) entry.emplace_back("identitytoken", login.identity_token);
  return entry;
}

Value MapIn(const Value& document, std::string_view key) {
  const Value* const value = document.Find(key);
  return value != nullptr && value->AsMap() != nullptr ? *value : Value(Value::Map());
}

Result<Value> ReadConfig(FileSystem& fs, const Path& file) {
  constexpr std::uint64_t kMaxBytes = 4U << 20;
  const auto text = ReadFile(fs, file, kMaxBytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return Value(Value::Map());
  KINETIC_RETURN_IF_ERROR(text);
  auto value = Value::FromJson(*text);
  if (value && value->AsMap() != nullptr) return value;
  // What the reader of JSON says of a mistake may quote a secret.
  return Fail(ErrorCode::kFailedPrecondition,
              "reading " + Printable(file.native()) + ": it is no JSON object",
              "write it anew with 'docker login', or name another folder in DOCKER_CONFIG");
}

/// Contexts, plugins and builders are those of the folder that docker has else.
Status LinkTheRest(FileSystem& fs, const Path& from, const Path& to) {
  const auto entries = fs.ReadDirectory(from);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return {};
  KINETIC_RETURN_IF_ERROR(entries);
  for (const auto& entry : *entries) {
    if (entry.name == kConfigName) continue;
    KINETIC_RETURN_IF_ERROR(fs.MakeSymlink((from / entry.name).native(), to / entry.name));
  }
  return {};
}

}  // namespace

Result<Path> WriteAuthFile(const SecretFolder& folder, const Logins& logins) {
  Value::Map entries;
  for (const auto& [registry, login] : logins) entries.emplace_back(registry, LoginEntry(login));
  return folder.Write("auth.json", Value(Value::Map{{"auths", std::move(entries)}}).ToJson());
}

Result<Path> WriteDockerConfig(FileSystem& fs, const SecretFolder& folder, const Path& config,
                               const Logins& logins) {
  KINETIC_ASSIGN_OR_RETURN(Value document, ReadConfig(fs, config));
  Value entries = MapIn(document, "auths");
  Value programs = MapIn(document, "credHelpers");
  for (const auto& [registry, login] : logins) {
    const std::string key = oci::KeyForRegistry(registry);
    entries.Set(key, LoginEntry(login));
    programs.Set(key, "");  // this one is in the file, whatever keeps the others
  }
  document.Set("auths", std::move(entries));
  document.Set("credHelpers", std::move(programs));
  Path made = folder.path() / "docker";
  KINETIC_RETURN_IF_ERROR(fs.MakeDirectory(made, 0700));
  KINETIC_RETURN_IF_ERROR(LinkTheRest(fs, config.parent_path(), made));
  const Path file = Path("docker") / kConfigName;
  KINETIC_RETURN_IF_ERROR(folder.Write(file.native(), document.ToJson()));
  return made;
}

}  // namespace kinetic::env
