#include "kube/auth/plugin.h"

#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/strings.h"
#include "base/time/clock.h"

#include <signal.h>

#include <algorithm>
#include <array>

namespace kinetic::kube {
namespace {

constexpr std::size_t kOutputBytes = 4U << 20;
constexpr std::size_t kMaxStderrTail = 400;
/// The minimum time to use a credential, even if it has expired already: clocks may differ.
constexpr std::chrono::seconds kMinUse{60};

/// Variables that differ between shells and do not affect the credential.
constexpr std::array<std::string_view, 22> kIgnoredVariables = {
    "PWD",         "OLDPWD",    "SHLVL",        "_",       "TERM",          "COLORTERM",
    "COLUMNS",     "LINES",     "WINDOWID",     "DISPLAY", "WAYLAND_*",     "SSH_*",
    "TMUX*",       "STY",       "XDG_SESSION*", "DBUS_*",  "INVOCATION_ID", "JOURNAL_STREAM",
    "VTE_VERSION", "KINETIC_*", "TERM_*",       "PS1"};

bool IsIgnoredVariable(std::string_view name) {
  return std::ranges::any_of(
      kIgnoredVariables, [&](std::string_view pattern) { return MatchesWildcard(name, pattern); });
}

/// Returns different keys for runs that could return different credentials.
std::string CacheKey(const PluginEntry& entry, const Value& cluster, const PluginOptions& options) {
  Value::List arguments;
  for (const auto& argument : entry.arguments) arguments.emplace_back(argument);
  Value::Map variables;
  for (const auto& [name, value] : options.environment) {
    if (!IsIgnoredVariable(name)) variables.emplace_back(name, value);
  }
  Value::List own;
  for (const auto& [name, value] : entry.environment) own.emplace_back(Value::List{name, value});
  const Value all(Value::List{entry.api_version, entry.command, std::move(arguments),
                              std::move(own), std::move(variables), cluster});
  return Sha256::Of(all.ToJson()).Hex();
}

/// Returns the end of a program's stderr on one line.
std::string StderrTail(const std::string& text) {
  std::string line(Trim(text));
  if (line.size() > kMaxStderrTail) line = "…" + line.substr(line.size() - kMaxStderrTail);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line.empty() ? "" : ": " + Printable(line);
}

}  // namespace

PluginCredentialSource::PluginCredentialSource(PluginEntry entry, Value cluster,
                                               PluginOptions options, PluginCredentialCache cache,
                                               Clock& clock)
    : entry_(std::move(entry)),
      cluster_(std::move(cluster)),
      options_(std::move(options)),
      cache_(std::move(cache)),
      clock_(&clock),
      name_("the credential plugin " + Printable(entry_.command)),
      key_(CacheKey(entry_, cluster_, options_)) {}

bool PluginCredentialSource::UsesTerminal() const {
  return options_.terminal && entry_.interactive != InteractiveMode::kNever;
}

std::map<std::string, std::string> PluginCredentialSource::Environment() const {
  std::map<std::string, std::string> environment = options_.environment;
  for (const auto& [name, value] : entry_.environment) environment[name] = value;
  Value spec{Value::Map{{"interactive", UsesTerminal()}}};
  if (!cluster_.IsNull()) spec.Set("cluster", cluster_);
  const Value info(Value::Map{
      {"kind", "ExecCredential"}, {"apiVersion", entry_.api_version}, {"spec", std::move(spec)}});
  environment["KUBERNETES_EXEC_INFO"] = info.ToJson();
  return environment;
}

Failure PluginCredentialSource::StartFailure(const Error& error) const {
  if (error.code == ErrorCode::kCancelled) return Failure(error);
  if (error.code != ErrorCode::kNotFound && error.code != ErrorCode::kPermissionDenied) {
    return Failure(Error(error).Context(name_));
  }
  std::string hint = Printable(Trim(entry_.install_hint));
  if (hint.empty()) hint = "install it, or use another context";
  return Fail(ErrorCode::kFailedPrecondition,
              entry_.location.Text() + ": " + name_ + " cannot be run: " + error.message,
              std::move(hint));
}

/// Creates a process that writes stdout to `output` and the end of stderr to `errors`.
Subprocess PluginCredentialSource::MakeProcess(std::string& output, std::string& errors) const {
  Subprocess program{.argv = {entry_.command},
                     .environment = Environment(),
                     .working_directory = {},
                     .search_path = options_.search_path,
                     .on_stdout =
                         [&](std::string_view piece) {
                           if (output.size() <= kOutputBytes) output += piece;
                         },
                     .on_stderr =
                         [&](std::string_view piece) {
                           errors += piece;
                           if (errors.size() > kOutputBytes) errors.erase(0, kOutputBytes / 2);
                         },
                     .terminal = UsesTerminal()};
  program.argv.insert(program.argv.end(), entry_.arguments.begin(), entry_.arguments.end());
  return program;
}

Status PluginCredentialSource::CheckExit(const ExitStatus& status,
                                         const std::string& errors) const {
  if (status.Succeeded()) return {};
  if (UsesTerminal() && status.signal == SIGINT) {
    return Fail(ErrorCode::kCancelled, name_ + " was interrupted");
  }
  return Fail(
      ErrorCode::kUnauthenticated,
      name_ + " exited with code " + std::to_string(status.ShellCode()) + StderrTail(errors),
      "log in again with it, or run it manually to see why");
}

Result<std::string> PluginCredentialSource::RunAndCapture(const std::stop_token& stop) const {
  if (entry_.interactive == InteractiveMode::kAlways && !options_.terminal) {
    return Fail(ErrorCode::kFailedPrecondition, name_ + " requires a terminal, but there is none",
                "run kinetic in a terminal, or use a context whose plugin does not need one");
  }
  std::string output;
  std::string errors;
  const auto timeout = UsesTerminal() ? options_.terminal_timeout : options_.timeout;
  const Deadline deadline(timeout, stop);
  const auto status = Run(MakeProcess(output, errors), deadline.token());
  if (options_.log != nullptr && !Trim(errors).empty()) {
    options_.log->Write(LogLevel::kInfo, "kube", name_ + StderrTail(errors));
  }
  if (deadline.expired()) {
    return Fail(ErrorCode::kUnauthenticated,
                name_ + " did not exit within " + std::to_string(timeout.count() / 1000) + " s" +
                    StderrTail(errors),
                "run it manually to see what it waits for");
  }
  if (!status) return StartFailure(status.error());
  KINETIC_RETURN_IF_ERROR(CheckExit(*status, errors));
  return output;
}

Result<PluginOutput> PluginCredentialSource::RunPlugin(const std::stop_token& stop) const {
  KINETIC_ASSIGN_OR_RETURN(const std::string output, RunAndCapture(stop));
  if (output.size() > kOutputBytes) {
    return Fail(ErrorCode::kUnauthenticated, name_ + " printed more than 4 MiB");
  }
  return ParsePluginOutput(output, entry_.api_version, name_);
}

Result<Credential> PluginCredentialSource::Fetch(const Credential* rejected, std::stop_token stop) {
  if (auto kept = cache_.Find(key_)) {
    if (rejected == nullptr || !kept->SameAs(*rejected)) return *std::move(kept);
    cache_.Erase(key_);
  }
  KINETIC_ASSIGN_OR_RETURN(PluginOutput answer, RunPlugin(stop));
  Credential& credential = answer.credential;
  if (answer.has_expiry) cache_.Store(key_, credential);
  credential.expiry = std::max(credential.expiry, clock_->Now() + kMinUse);
  return std::move(credential);
}

}  // namespace kinetic::kube
