#include "kinetic/cloud.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"
#include "settings/client_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace kinetic::cli {
namespace {

/// Returns warnings about a credential that could fail a job later.
std::vector<std::string> CredentialWarnings(const CredentialStatus& status) {
  std::vector<std::string> remarks;
  if (status.kind == "none") {
    remarks.emplace_back(
        "requests are sent without a credential; set one with --credentials if needed");
    return remarks;
  }
  if (!status.renewable)
    remarks.emplace_back(
        "this credential cannot be renewed, and results cannot be stored after it expires; use a "
        "key file or 'gcloud auth application-default login'");
  const auto allows_storage = [](const std::string& scope) {
    return scope.ends_with("/auth/cloud-platform") ||
           scope.ends_with("/auth/devstorage.read_write") ||
           scope.ends_with("/auth/devstorage.full_control");
  };
  if (!status.scopes.empty() &&
      std::none_of(status.scopes.begin(), status.scopes.end(), allows_storage))
    remarks.emplace_back(
        "no scope allows writing to Cloud Storage: run 'gcloud auth application-default login', or "
        "add the cloud-platform scope to the VM");
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

void CredentialField(std::string_view name, const std::string& value, Output& output) {
  if (!value.empty()) output.Line(fmt::format("{:<15}{}", fmt::format("{}:", name), value));
}

std::string ExpiryText(const CredentialStatus& status) {
  if (!status.expiry) return "unknown";
  const auto left = *status.expiry - std::chrono::system_clock::now();
  return fmt::format("{} (in {}){}", FormatTime(*status.expiry), FormatDuration(left),
                     status.renewable ? ", renewed automatically" : "");
}

Result<int> ShowCredential(Context& context) {
  CloudOptions options = CloudOptionsOf(context.settings, context.process);
  options.requests = context.requests;
  options.waits = context.waits;
  KINETIC_ASSIGN_OR_RETURN(const CredentialStatus status,
                           CheckCredential(options, context.log, context.stop));
  const std::vector<std::string> remarks = CredentialWarnings(status);
  Output& output = context.output;
  if (output.IsJson()) {
    output.Document(Document(status, remarks));
    return kSuccess;
  }
  CredentialField("kind", status.kind, output);
  CredentialField("account",
                  status.account.empty() && status.kind != "none" ? "unknown" : status.account,
                  output);
  CredentialField("source", status.origin, output);
  CredentialField("project", status.project, output);
  CredentialField("quota project", status.quota_project, output);
  if (status.kind != "none") CredentialField("expires", ExpiryText(status), output);
  for (const std::string& scope : status.scopes) CredentialField("scope", scope, output);
  for (const std::string& remark : remarks) output.Warn(remark);
  return kSuccess;
}

}  // namespace

void RegisterAuthStatus(Command& parent) {
  Command& command = parent.Add(
      {.name = "status",
       .summary = "Show the active Google credential and check it",
       .description =
           "Show the account of the active Google credential, where the credential was found, and "
           "when it\n"
           "expires. Checks with Google that the credential is valid. Does not print the secret.",
       .usage = {"[OPTIONS]"},
       .examples = {"kinetic auth status", "kinetic auth status --credentials key.json --json"}});
  command.SetAction(ShowCredential);
  parent.SetAction(ShowCredential);
}

}  // namespace kinetic::cli
