#include "oci/registry/docker_logins.h"

#include "kinetic/value.h"

#include "base/process/subprocess.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "base/try.h"
#include "json/document.h"

#include <utility>

namespace kinetic::oci {
namespace {

constexpr std::size_t kOutputBytes = 1U << 20;
/// The user name by which a program says that the secret is an identity token.
constexpr std::string_view kTokenUser = "<token>";
/// What programs print that have no login for a registry.
constexpr std::string_view kNone = "credentials not found";

/// `{"ServerURL":…,"Username":…,"Secret":…}`
Result<std::optional<Login>> ReadLogin(const std::string& output, const std::string& program) {
  const auto value = Value::FromJson(output);
  const std::string secret = value ? json::TextAt(*value, "Secret") : "";
  if (secret.empty()) {
    return Fail(ErrorCode::kFailedPrecondition, program + " printed no credential",
                "run 'docker login' anew, or run the program by hand to see why");
  }
  Login login{.username = json::TextAt(*value, "Username"),
              .password = {},
              .identity_token = {},
              .origin = "the program " + program};
  (login.username == kTokenUser ? login.identity_token : login.password) = secret;
  return std::optional(std::move(login));
}

}  // namespace

std::string DockerLogins::Places() const { return Printable(file_.native()); }

Result<std::optional<Login>> DockerLogins::Find(const std::string& registry, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const DockerConfig config, ReadDockerConfig(*fs_, file_));
  const auto own = config.programs.find(registry);
  const std::string& program = own != config.programs.end() ? own->second : config.program;
  if (!program.empty()) {
    KINETIC_ASSIGN_OR_RETURN(auto login, Ask("docker-credential-" + program, registry, stop));
    if (login) return login;
  }
  const auto found = config.logins.find(registry);
  if (found == config.logins.end()) return std::optional<Login>();
  return std::optional(found->second);
}

Result<std::optional<Login>> DockerLogins::Ask(const std::string& program,
                                               const std::string& registry,
                                               const std::stop_token& stop) const {
  const std::string name = Printable(program);
  std::string output;
  const Subprocess get{.argv = {program, "get"},
                       .environment = surroundings_.environment,
                       .working_directory = {},
                       .search_path = surroundings_.search_path,
                       .on_stdout =
                           [&](std::string_view piece) {
                             if (output.size() <= kOutputBytes) output += piece;
                           },
                       .on_stderr = {},
                       .input = KeyOfRegistry(registry)};
  if (program.find('/') != std::string::npos) {
    return Fail(ErrorCode::kFailedPrecondition,
                Places() + " names " + name + ", which is no name of a program",
                "write that file anew with 'docker login'");
  }
  const Deadline deadline(surroundings_.patience, stop);
  const auto status = Run(get, deadline.token());
  if (deadline.expired()) {
    return Fail(ErrorCode::kFailedPrecondition,
                name + " had not ended after " +
                    std::to_string(surroundings_.patience.count() / 1000) + " s",
                "run it by hand to see what it waits for");
  }
  if (!status && status.error().code == ErrorCode::kCancelled) return Failure(status.error());
  if (!status) {
    return Fail(ErrorCode::kFailedPrecondition,
                Places() + " names " + name + ", which cannot be run: " + status.error().message,
                "install it, or take it out of that file");
  }
  if (status->Succeeded()) return ReadLogin(output, name);
  if (output.find(kNone) != std::string::npos) return std::optional<Login>();
  return Fail(ErrorCode::kFailedPrecondition,
              name + " ended with code " + std::to_string(status->ShellCode()),
              "run 'docker login " + registry + "' anew");
}

}  // namespace kinetic::oci
