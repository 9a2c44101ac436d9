#include "kube/error.h"

#include "base/strings.h"
#include "kube/resource.h"

#include <algorithm>
#include <array>

namespace kinetic::kube {
namespace {

struct Row {
  int status;
  ErrorCode code;
};

constexpr std::array<Row, 11> kRows{{
    {400, ErrorCode::kInvalidArgument},
    {401, ErrorCode::kUnauthenticated},
    {403, ErrorCode::kPermissionDenied},
    {404, ErrorCode::kNotFound},
    {408, ErrorCode::kUnavailable},
    {409, ErrorCode::kAborted},
    {410, ErrorCode::kAborted},
    {413, ErrorCode::kInvalidArgument},
    {415, ErrorCode::kInternal},
    {422, ErrorCode::kInvalidArgument},
    {429, ErrorCode::kResourceExhausted},
}};

ErrorCode CodeOf(const StatusObject& status) {
  if (status.reason == "AlreadyExists") return ErrorCode::kAlreadyExists;
  if (ApiIsMissing(status)) return ErrorCode::kUnimplemented;
  const auto* const row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& candidate) {
    return candidate.status == status.code;
  });
  if (row != kRows.end()) return row->code;
  return status.code >= 500 || status.code == 0 ? ErrorCode::kUnavailable : ErrorCode::kInternal;
}

/// What is between `before` and the next quote; empty when it is not there.
std::string Quoted(const std::string& text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + before.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

/// `User "ana" cannot create resource "jobs" in API group "batch" in the namespace "ml"`.
struct Denial {
  std::string account;
  AccessQuestion wanted;
};

std::optional<Denial> DenialIn(const std::string& words) {
  constexpr std::string_view kCannot = "\" cannot ";
  const std::size_t at = words.find(kCannot);
  Denial denial;
  denial.account = Quoted(words, "User \"");
  if (denial.account.empty() || at == std::string::npos) return std::nullopt;
  const std::size_t verb = at + kCannot.size();
  denial.wanted.verb = words.substr(verb, words.find(' ', verb) - verb);
  denial.wanted.resource = Quoted(words, " resource \"");
  denial.wanted.group = Quoted(words, " in API group \"");
  denial.wanted.name_space = Quoted(words, " in the namespace \"");
  const std::size_t slash = denial.wanted.resource.find('/');
  if (slash != std::string::npos) {
    denial.wanted.subresource = denial.wanted.resource.substr(slash + 1);
    denial.wanted.resource.resize(slash);
  }
  return denial;
}

void ExplainDenial(Denial denial, const Operation& operation, Error& error) {
  // Who watches lists first, and each is a rule of its own.
  if (operation.verb == "watch") denial.wanted.verb = "list,watch";
  if (denial.account == "system:anonymous") {
    error.hint = "the cluster saw no credential: check the user of the context in the kubeconfig";
  } else if (!denial.wanted.resource.empty()) {
    error.hint = Printable(GrantCommand(denial.wanted, denial.account));
  }
  error.details.emplace_back("account", denial.account);
}

/// A 403 of something else than rules of access: quotas and admission speak through it too.
void ExplainAdmission(const StatusObject& status, const Operation& operation, Error& error) {
  const std::string there =
      operation.name_space.empty() ? "" : " --namespace=" + ShellQuote(operation.name_space);
  error.code = ErrorCode::kFailedPrecondition;
  if (MessageContains(status, "exceeded quota")) {
    error.code = ErrorCode::kResourceExhausted;
    error.hint = "kubectl describe resourcequota" + there;
  } else if (MessageContains(status, "violates PodSecurity")) {
    error.hint = "the namespace asks for more secure pods: choose an image that runs as any user";
  } else if (MessageContains(status, "is being terminated")) {
    error.hint = "the namespace is being removed: choose another, or wait until it is gone";
  } else if (!MessageContains(status, "is forbidden: ") &&
             !MessageContains(status, "admission webhook")) {
    error.code = ErrorCode::kPermissionDenied;
  }
}

std::string HintFor(const StatusObject& status, const Operation& operation) {
  switch (status.code) {
    case 401:
      return "log in to the cluster again: check the user of the context in the kubeconfig";
    case 404:
      if (ApiIsMissing(status)) {
        return "the cluster does not serve " + QualifiedName(operation.resource) + "/" +
               std::string(operation.resource.version) + ": install it, or use another cluster";
      }
      if (status.kind == "namespaces") {
        return "kubectl create namespace " + ShellQuote(status.name);
      }
      return {};
    case 413:
      return "the object is too large for the cluster: send less with the job";
    case 429:
      return "the API server is asked too often: try again later";
    default:
      return {};
  }
}

void AddDetails(const Operation& operation, const StatusObject& status, Error& error) {
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) error.details.emplace_back(key, value);
  };
  add("status", std::to_string(status.code));
  add("reason", status.reason);
  add("verb", std::string(operation.verb));
  add("resource", QualifiedName(operation.resource));
  add("namespace", operation.name_space);
  add("name", operation.name);
  for (const auto& [reason, words] : status.causes) {
    add("cause", reason.empty() ? words : reason + ": " + words);
  }
}

}  // namespace

Error ErrorOf(const Operation& operation, const StatusObject& status) {
  Error error;
  error.code = CodeOf(status);
  error.message = operation.Text() + ": " +
                  (status.message.empty() ? "the API server answers " + std::to_string(status.code)
                                          : Printable(status.message));
  error.hint = HintFor(status, operation);
  AddDetails(operation, status, error);
  if (status.code == 403) {
    if (const auto denial = DenialIn(status.message)) {
      ExplainDenial(*denial, operation, error);
    } else {
      ExplainAdmission(status, operation, error);
    }
  }
  return error;
}

Error ErrorOf(const Operation& operation, const http::Response& response) {
  return ErrorOf(operation, StatusFrom(response.status, response.body));
}

}  // namespace kinetic::kube
