#include "commands/auth_status.h"

#include "kinetic/cloud.h"

#include "command_line/command.h"
#include "context.h"
#include "exit_code.h"
#include "output/format.h"
#include "settings/cloud.h"
#include "try.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace kinetic::cli {
namespace {

Value TextOrNull(const std::string& text) { return text.empty() ? Value() : Value(text); }

/// What a user should know before a job fails of it.
std::vector<std::string> RemarksOn(const CredentialStatus& status) {
  std::vector<std::string> remarks;
  if (status.kind == "none") {
    remarks.emplace_back("requests show no credential: --credentials names one, if it is needed");
    return remarks;
  }
  if (!status.renewable)
    remarks.emplace_back(
        "kinetic cannot renew it: what a job leaves after its end is not stored; "
        "'gcloud auth application-default login' or a key file gives one that lasts");
  const auto allows_storage = [](const std::string& scope) {
    return scope.ends_with("/auth/cloud-platform") ||
           scope.ends_with("/auth/devstorage.read_write") ||
           scope.ends_with("/auth/devstorage.full_control");
  };
  if (!status.scopes.empty() &&
      std::none_of(status.scopes.begin(), status.scopes.end(), allows_storage))
    remarks.emplace_back(
        "no scope allows writing to Cloud Storage: log in anew with "
        "'gcloud auth application-default login', or give the machine the scope cloud-platform");
  return remarks;
}

Value Document(const CredentialStatus& status, const std::vector<std::string>& remarks) {
  Value::List scopes(status.scopes.begin(), status.scopes.end());
  Value::List said(remarks.begin(), remarks.end());
  return Value::Map{{"kind", status.kind},
                    {"account", TextOrNull(status.account)},
                    {"origin", status.origin},
                    {"project", TextOrNull(status.project)},
                    {"quota_project", TextOrNull(status.quota_project)},
                    {"universe_domain", TextOrNull(status.universe_domain)},
                    {"scopes", std::move(scopes)},
                    {"renewable", status.renewable},
                    {"expiry", status.expiry ? Value(FormatTime(*status.expiry)) : Value()},
                    {"remarks", std::move(said)}};
}

void Field(std::string_view name, const std::string& value, Output& output) {
  if (!value.empty()) output.Line(fmt::format("{:<15}{}", fmt::format("{}:", name), value));
}

std::string UntilWords(const CredentialStatus& status) {
  if (!status.expiry) return "not known";
  const auto left = *status.expiry - std::chrono::system_clock::now();
  return fmt::format("{} (in {}){}", FormatTime(*status.expiry), FormatDuration(left),
                     status.renewable ? ", then renewed" : "");
}

}  // namespace

void RegisterAuthStatus(Command& parent) {
  Command& command = parent.Add(
      {.name = "status",
       .summary = "Show whose credential it is, and whether it is worth something",
       .description =
           "Shows which credential Google's servers are shown, whose it is, where it was found "
           "and\n"
           "until when it lasts. Google is asked whether it is worth something; it is not shown.",
       .usage = {"[OPTIONS]"},
       .examples = {"kinetic auth status", "kinetic auth status --credentials key.json --json"}});
  command.Does([](Context& context) { return RunAuthStatus(context); });
}

Result<int> RunAuthStatus(Context& context) {
  CloudOptions options = CloudOptionsOf(context.settings, context.here);
  options.requests = context.requests;
  CLI_ASSIGN_OR_RETURN(const CredentialStatus status,
                       CheckCredential(options, context.log, context.stop));
  const std::vector<std::string> remarks = RemarksOn(status);
  Output& output = context.output;
  if (output.IsJson()) {
    output.Document(Document(status, remarks));
    return kSuccess;
  }
  Field("kind", status.kind, output);
  Field("account", status.account.empty() && status.kind != "none" ? "not known" : status.account,
        output);
  Field("from", status.origin, output);
  Field("project", status.project, output);
  Field("quota project", status.quota_project, output);
  if (status.kind != "none") Field("until", UntilWords(status), output);
  for (const std::string& scope : status.scopes) Field("scope", scope, output);
  for (const std::string& remark : remarks) output.Warn(remark);
  return kSuccess;
}

}  // namespace kinetic::cli
