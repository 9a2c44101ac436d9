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
  if (IsUnservedResource(status)) return ErrorCode::kUnimplemented;
  const auto* const row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& candidate) {
    return candidate.status == status.code;
  });
  if (row != kRows.end()) return row->code;
  return status.code >= 500 || status.code == 0 ? ErrorCode::kUnavailable : ErrorCode::kInternal;
}

/// Returns the text between `before` and the next quote, or "".
std::string QuotedAfter(const std::string& text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + before.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

/// `User "ana" cannot create resource "jobs" in API group "batch" in the namespace "ml"`.
struct RbacDenial {
  std::string account;
  Permission wanted;
};

std::optional<RbacDenial> ParseDenial(const std::string& words) {
  constexpr std::string_view kCannot = "\" cannot ";
  const std::size_t at = words.find(kCannot);
  RbacDenial denial;
  denial.account = QuotedAfter(words, "User \"");
  if (denial.account.empty() || at == std::string::npos) return std::nullopt;
  const std::size_t verb = at + kCannot.size();
  denial.wanted.verb = words.substr(verb, words.find(' ', verb) - verb);
  denial.wanted.resource = QuotedAfter(words, " resource \"");
  denial.wanted.group = QuotedAfter(words, " in API group \"");
  denial.wanted.name_space = QuotedAfter(words, " in the namespace \"");
  const std::size_t slash = denial.wanted.resource.find('/');
  if (slash != std::string::npos) {
    denial.wanted.subresource = denial.wanted.resource.substr(slash + 1);
    denial.wanted.resource.resize(slash);
  }
  return denial;
}

void ExplainDenial(RbacDenial denial, const Operation& operation, Error& error) {
  // A watch also needs the permission to list.
  if (operation.verb == "watch") denial.wanted.verb = "list,watch";
  if (denial.account == "system:anonymous") {
    error.hint =
        "the cluster received no credential: check the user of the context in the kubeconfig";
  } else if (!denial.wanted.resource.empty()) {
    error.hint = Printable(GrantCommand(denial.wanted, denial.account));
  }
  error.details.emplace_back("account", denial.account);
}

/// Explains a 403 that is not from RBAC: quotas and admission use it too.
void ExplainAdmission(const StatusObject& status, const Operation& operation, Error& error) {
  const std::string there =
      operation.name_space.empty() ? "" : " --namespace=" + ShellQuote(operation.name_space);
  error.code = ErrorCode::kFailedPrecondition;
  if (MessageContains(status, "exceeded quota")) {
    error.code = ErrorCode::kResourceExhausted;
    error.hint = "kubectl describe resourcequota" + there;
  } else if (MessageContains(status, "violates PodSecurity")) {
    error.hint = "the namespace requires restricted pods: choose an image that runs as any user";
  } else if (MessageContains(status, "is being terminated")) {
    error.hint = "the namespace is being deleted: use another one, or wait until it is deleted";
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
      if (IsUnservedResource(status)) {
        return "the cluster does not serve " + QualifiedName(operation.resource) + "/" +
               std::string(operation.resource.version) + ": install it, or use another cluster";
      }
      if (status.kind == "namespaces") {
        return "kubectl create namespace " + ShellQuote(status.name);
      }
      return {};
    case 413:
      return "the object is too large for the cluster: move large arguments to files";
    case 429:
      return "the API server is rate limiting requests: try again later";
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

Error ToError(const Operation& operation, const StatusObject& status) {
  Error error;
  error.code = CodeOf(status);
  error.message = operation.Text() + ": " +
                  (status.message.empty()
                       ? "the API server responded with status " + std::to_string(status.code)
                       : Printable(status.message));
  error.hint = HintFor(status, operation);
  AddDetails(operation, status, error);
  if (status.code == 403) {
    if (const auto denial = ParseDenial(status.message)) {
      ExplainDenial(*denial, operation, error);
    } else {
      ExplainAdmission(status, operation, error);
    }
  }
  return error;
}

Error ToError(const Operation& operation, const http::Response& response) {
  return ToError(operation, ParseStatus(response.status, response.body));
}

}  // namespace kinetic::kube
