#include "kube/auth/plugin.h"

#include "base/hash/digest.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "base/try.h"

#include <signal.h>

#include <algorithm>
#include <array>

namespace kinetic::kube {
namespace {

constexpr std::size_t kOutputBytes = 4U << 20;
constexpr std::size_t kComplaintBytes = 400;
/// How long a credential is used that had expired when it came: the clocks differ, or it has.
constexpr std::chrono::seconds kExpiredUse{60};

/// Variables that differ from one shell to the next and say nothing of who somebody is.
constexpr std::array<std::string_view, 22> kPassing = {
    "PWD",         "OLDPWD",    "SHLVL",        "_",       "TERM",          "COLORTERM",
    "COLUMNS",     "LINES",     "WINDOWID",     "DISPLAY", "WAYLAND_*",     "SSH_*",
    "TMUX*",       "STY",       "XDG_SESSION*", "DBUS_*",  "INVOCATION_ID", "JOURNAL_STREAM",
    "VTE_VERSION", "KINETIC_*", "TERM_*",       "PS1"};

bool IsPassing(std::string_view name) {
  return std::ranges::any_of(
      kPassing, [&](std::string_view pattern) { return MatchesWildcard(name, pattern); });
}

/// Two runs that could give different credentials have different keys.
std::string KeyOf(const PluginEntry& entry, const Value& cluster,
                  const PluginSurroundings& surroundings) {
  Value::List arguments;
  for (const auto& argument : entry.arguments) arguments.emplace_back(argument);
  Value::Map variables;
  for (const auto& [name, value] : surroundings.environment) {
    if (!IsPassing(name)) variables.emplace_back(name, value);
  }
  Value::List own;
  for (const auto& [name, value] : entry.environment) own.emplace_back(Value::List{name, value});
  const Value all(Value::List{entry.api_version, entry.command, std::move(arguments),
                              std::move(own), std::move(variables), cluster});
  return Sha256::Of(all.ToJson()).Hex();
}

/// The end of what a program complained of, on one line.
std::string Complaint(const std::string& text) {
  std::string line(Trim(text));
  if (line.size() > kComplaintBytes) line = "…" + line.substr(line.size() - kComplaintBytes);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line.empty() ? "" : ": " + Printable(line);
}

}  // namespace

PluginSource::PluginSource(PluginEntry entry, Value cluster, PluginSurroundings surroundings,
                           PluginStore store, Clock& clock)
    : entry_(std::move(entry)),
      cluster_(std::move(cluster)),
      surroundings_(std::move(surroundings)),
      store_(std::move(store)),
      clock_(&clock),
      where_("the credential plugin " + Printable(entry_.command)),
      key_(KeyOf(entry_, cluster_, surroundings_)) {}

bool PluginSource::UsesTerminal() const {
  return surroundings_.terminal && entry_.interactive != Interactive::kNever;
}

std::map<std::string, std::string> PluginSource::Environment() const {
  std::map<std::string, std::string> environment = surroundings_.environment;
  for (const auto& [name, value] : entry_.environment) environment[name] = value;
  Value spec{Value::Map{{"interactive", UsesTerminal()}}};
  if (!cluster_.IsNull()) spec.Set("cluster", cluster_);
  const Value info(Value::Map{
      {"kind", "ExecCredential"}, {"apiVersion", entry_.api_version}, {"spec", std::move(spec)}});
  environment["KUBERNETES_EXEC_INFO"] = info.ToJson();
  return environment;
}

Failure PluginSource::NotStarted(const Error& error) const {
  if (error.code == ErrorCode::kCancelled) return Failure(error);
  if (error.code != ErrorCode::kNotFound && error.code != ErrorCode::kPermissionDenied) {
    return Failure(Error(error).Context(where_));
  }
  std::string hint = Printable(Trim(entry_.install_hint));
  if (hint.empty()) hint = "install it, or name another context";
  return Fail(ErrorCode::kFailedPrecondition,
              entry_.place.Text() + ": " + where_ + " cannot be run: " + error.message,
              std::move(hint));
}

/// What it prints goes to `output`, the end of what it complains of to `complaint`.
Subprocess PluginSource::Program(std::string& output, std::string& complaint) const {
  Subprocess program{.argv = {entry_.command},
                     .environment = Environment(),
                     .working_directory = {},
                     .search_path = surroundings_.search_path,
                     .on_stdout =
                         [&](std::string_view piece) {
                           if (output.size() <= kOutputBytes) output += piece;
                         },
                     .on_stderr =
                         [&](std::string_view piece) {
                           complaint += piece;
                           if (complaint.size() > kOutputBytes)
                             complaint.erase(0, kOutputBytes / 2);
                         },
                     .terminal = UsesTerminal()};
  program.argv.insert(program.argv.end(), entry_.arguments.begin(), entry_.arguments.end());
  return program;
}

Status PluginSource::Judge(const ExitStatus& status, const std::string& complaint) const {
  if (status.Succeeded()) return {};
  if (UsesTerminal() && status.signal == SIGINT) {
    return Fail(ErrorCode::kCancelled, where_ + " was interrupted");
  }
  return Fail(
      ErrorCode::kUnauthenticated,
      where_ + " ended with code " + std::to_string(status.ShellCode()) + Complaint(complaint),
      "log in anew with it, or run it by hand to see why");
}

Result<std::string> PluginSource::Output(const std::stop_token& stop) const {
  if (entry_.interactive == Interactive::kAlways && !surroundings_.terminal) {
    return Fail(ErrorCode::kFailedPrecondition,
                where_ + " wants to ask somebody, and there is no terminal",
                "run kinetic at a terminal, or use a context whose plugin needs none");
  }
  std::string output;
  std::string complaint;
  const auto patience = UsesTerminal() ? surroundings_.terminal_patience : surroundings_.patience;
  const Deadline deadline(patience, stop);
  const auto status = Run(Program(output, complaint), deadline.token());
  if (surroundings_.log != nullptr && !Trim(complaint).empty()) {
    surroundings_.log->Write(LogLevel::kInfo, "kube", where_ + Complaint(complaint));
  }
  if (deadline.expired()) {
    return Fail(ErrorCode::kUnauthenticated,
                where_ + " had not ended after " + std::to_string(patience.count() / 1000) +
                    " s and was ended" + Complaint(complaint),
                "run it by hand to see what it waits for");
  }
  if (!status) return NotStarted(status.error());
  KINETIC_RETURN_IF_ERROR(Judge(*status, complaint));
  return output;
}

Result<PluginAnswer> PluginSource::RunIt(const std::stop_token& stop) const {
  KINETIC_ASSIGN_OR_RETURN(const std::string output, Output(stop));
  if (output.size() > kOutputBytes) {
    return Fail(ErrorCode::kUnauthenticated, where_ + " printed more than any credential has");
  }
  return ReadPluginAnswer(output, entry_.api_version, where_);
}

Result<Credential> PluginSource::Fetch(const Credential* refused, std::stop_token stop) {
  if (auto kept = store_.Find(key_)) {
    if (refused == nullptr || !kept->SameAs(*refused)) return *std::move(kept);
    store_.Forget(key_);
  }
  KINETIC_ASSIGN_OR_RETURN(PluginAnswer answer, RunIt(stop));
  Credential& credential = answer.credential;
  if (answer.says_end) store_.Keep(key_, credential);
  credential.expiry = std::max(credential.expiry, clock_->Now() + kExpiredUse);
  return std::move(credential);
}

}  // namespace kinetic::kube
