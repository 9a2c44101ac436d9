#include "env/dockerfile/engine_logins.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/strings.h"
#include "oci/registry/docker_logins.h"

#include <utility>

namespace kinetic::env {
namespace {

constexpr std::string_view kConfigName = "config.json";

Value LoginEntry(const oci::Login& login) {
  // Docker requires a user name even with an identity token.
  const std::string user = login.username.empty() ? "<token>" : login.username;
  Value::Map entry{{"auth", Base64Encode(user + ":" + login.password)}};
  if (!login.identity_token.empty()) entry.emplace_back("identitytoken", login.identity_token);
  return entry;
}

Value MapField(const Value& document, std::string_view key) {
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
  // The JSON error may quote a secret.
  return Fail(ErrorCode::kFailedPrecondition,
              "cannot read " + Printable(file.native()) + ": not a JSON object",
              "create it again with 'docker login', or set DOCKER_CONFIG to another folder");
}

/// Links the contexts, plugins and builders of the user's docker folder.
Status LinkOtherEntries(FileSystem& fs, const Path& from, const Path& to) {
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
  Value entries = MapField(document, "auths");
  Value helpers = MapField(document, "credHelpers");
  for (const auto& [registry, login] : logins) {
    const std::string key = oci::KeyForRegistry(registry);
    entries.Set(key, LoginEntry(login));
    helpers.Set(key, "");  // this login is in the file, not in a credential helper
  }
  document.Set("auths", std::move(entries));
  document.Set("credHelpers", std::move(helpers));
  Path folder_path = folder.path() / "docker";
  KINETIC_RETURN_IF_ERROR(fs.MakeDirectory(folder_path, 0700));
  KINETIC_RETURN_IF_ERROR(LinkOtherEntries(fs, config.parent_path(), folder_path));
  const Path file = Path("docker") / kConfigName;
  KINETIC_RETURN_IF_ERROR(folder.Write(file.native(), document.ToJson()));
  return folder_path;
}

}  // namespace kinetic::env
