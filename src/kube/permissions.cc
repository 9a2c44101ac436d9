#include "kinetic/try.h"

#include "base/strings.h"
#include "kube/client.h"
#include "kube/object.h"
#include "kube/sender.h"

#include <cctype>

namespace kinetic::kube {
namespace {

/// Parses a version number. Managed clusters report "34+" for 34.
int VersionNumber(const Value& version, std::string_view key) {
  std::string_view text = TextAt(version, {key});
  while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.back())) == 0) {
    text.remove_suffix(1);
  }
  return static_cast<int>(ParseInt(text).value_or(0));
}

}  // namespace

Result<Value> Client::PostReview(const Resource& resource, const Value& question,
                                 std::stop_token stop) const {
  const Operation operation{"create", "requesting", resource};
  const http::Url url = CollectionUrl(options_.server, resource, {});
  KINETIC_ASSIGN_OR_RETURN(
      const http::Response response,
      sender_.Send(operation, sender_.JsonRequest("POST", url.Text(), question),
                   http::Idempotency::kIdempotent, std::move(stop)));
  if (response.status / 100 != 2) return Failure(ToError(operation, response));
  return ParseObject(operation, response);
}

Result<Version> Client::GetServerVersion(std::stop_token stop) const {
  const Operation operation{"get", "reading", {"", "", "the cluster's version", false}};
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(operation, sender_.GetRequest(options_.server + "/version"),
                                        http::Idempotency::kIdempotent, std::move(stop)));
  if (response.status != 200) return Failure(ToError(operation, response));
  const auto version = Value::FromJson(response.body);
  if (!version || TextAt(*version, {"gitVersion"}).empty()) {
    return Fail(ErrorCode::kFailedPrecondition,
                operation.Text() + ": " + options_.server + " is not a Kubernetes API server",
                "check the cluster's server in the kubeconfig");
  }
  return Version{VersionNumber(*version, "major"), VersionNumber(*version, "minor"),
                 std::string(TextAt(*version, {"gitVersion"}))};
}

Result<PermissionReview> Client::CheckPermission(const Permission& question,
                                                 std::stop_token stop) const {
  Value attributes{Value::Map{}};
  if (!question.name_space.empty()) attributes.Set("namespace", question.name_space);
  attributes.Set("verb", question.verb);
  attributes.Set("group", question.group);
  attributes.Set("resource", question.resource);
  if (!question.subresource.empty()) attributes.Set("subresource", question.subresource);
  Value spec{Value::Map{}};
  spec.Set("resourceAttributes", std::move(attributes));
  Value body{Value::Map{}};
  body.Set("apiVersion", "authorization.k8s.io/v1");
  body.Set("kind", "SelfSubjectAccessReview");
  body.Set("spec", std::move(spec));
  KINETIC_ASSIGN_OR_RETURN(const Value review, PostReview(kAccessReviews, body, std::move(stop)));
  const Value* allowed = At(review, {"status", "allowed"});
  PermissionReview access;
  access.allowed = allowed != nullptr && allowed->AsBool() != nullptr && *allowed->AsBool();
  access.reason = TextAt(review, {"status", "reason"});
  return access;
}

Result<std::string> Client::GetUserName(std::stop_token stop) const {
  Value body{Value::Map{}};
  body.Set("apiVersion", "authentication.k8s.io/v1");
  body.Set("kind", "SelfSubjectReview");
  KINETIC_ASSIGN_OR_RETURN(const Value review, PostReview(kSelfReviews, body, std::move(stop)));
  return std::string(TextAt(review, {"status", "userInfo", "username"}));
}

}  // namespace kinetic::kube
