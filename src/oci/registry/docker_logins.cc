#include "oci/registry/docker_logins.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/process/subprocess.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "json/document.h"

#include <utility>

namespace kinetic::oci {
namespace {

constexpr std::size_t kMaxHelperOutputBytes = 1U << 20;
/// The user name that marks the secret as an identity token.
constexpr std::string_view kIdentityTokenUser = "<token>";
/// What helpers print if they have no login for a registry.
constexpr std::string_view kNotFoundOutput = "credentials not found";

/// `{"ServerURL":…,"Username":…,"Secret":…}`
Result<std::optional<Login>> ReadLogin(const std::string& output, const std::string& program) {
  const auto value = Value::FromJson(output);
  const std::string secret = value ? json::TextAt(*value, "Secret") : "";
  if (secret.empty()) {
    return Fail(ErrorCode::kFailedPrecondition, program + " printed no credential",
                "run 'docker login' again, or run the program manually to see why");
  }
  Login login{.username = json::TextAt(*value, "Username"),
              .password = {},
              .identity_token = {},
              .origin = "the program " + program};
  (login.username == kIdentityTokenUser ? login.identity_token : login.password) = secret;
  return std::optional(std::move(login));
}

}  // namespace

std::string DockerLogins::Locations() const { return Printable(file_.native()); }

Result<std::optional<Login>> DockerLogins::Find(const std::string& registry, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const DockerConfig config, ReadDockerConfig(*fs_, file_));
  const auto own = config.helpers.find(registry);
  const std::string& program = own != config.helpers.end() ? own->second : config.default_helper;
  if (!program.empty()) {
    KINETIC_ASSIGN_OR_RETURN(auto login, RunHelper("docker-credential-" + program, registry, stop));
    if (login) return login;
  }
  const auto found = config.logins.find(registry);
  if (found == config.logins.end()) return std::optional<Login>();
  return std::optional(found->second);
}

Result<std::optional<Login>> DockerLogins::RunHelper(const std::string& program,
                                                     const std::string& registry,
                                                     const std::stop_token& stop) const {
  const std::string name = Printable(program);
  std::string output;
  const Subprocess get{.argv = {program, "get"},
                       .environment = options_.environment,
                       .working_directory = {},
                       .search_path = options_.search_path,
                       .on_stdout =
                           [&](std::string_view piece) {
                             if (output.size() <= kMaxHelperOutputBytes) output += piece;
                           },
                       .on_stderr = {},
                       .input = KeyForRegistry(registry)};
  if (program.find('/') != std::string::npos) {
    return Fail(ErrorCode::kFailedPrecondition,
                Locations() + " refers to " + name + ", which is not a program name",
                "recreate that file with 'docker login'");
  }
  const Deadline deadline(options_.timeout, stop);
  const auto status = Run(get, deadline.token());
  if (deadline.expired()) {
    return Fail(
        ErrorCode::kFailedPrecondition,
        name + " did not exit within " + std::to_string(options_.timeout.count() / 1000) + " s",
        "run it manually to see what it waits for");
  }
  if (!status && status.error().code == ErrorCode::kCancelled) return Failure(status.error());
  if (!status) {
    return Fail(
        ErrorCode::kFailedPrecondition,
        Locations() + " refers to " + name + ", which cannot be run: " + status.error().message,
        "install it, or remove it from that file");
  }
  if (status->Succeeded()) return ReadLogin(output, name);
  if (output.find(kNotFoundOutput) != std::string::npos) return std::optional<Login>();
  return Fail(ErrorCode::kFailedPrecondition,
              name + " exited with code " + std::to_string(status->ShellCode()),
              "run 'docker login " + registry + "' again");
}

}  // namespace kinetic::oci
