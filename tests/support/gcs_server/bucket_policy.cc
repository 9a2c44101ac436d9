#include "base/strings.h"
#include "support/gcs_server/errors.h"
#include "support/gcs_server/handlers.h"

namespace kinetic::gcs_server {
namespace {

using nlohmann::json;

/// Returns the stored policy, or the initial one.
json PolicyOf(const json& bucket) {
  json policy = bucket.value("policy", json{{"version", 1}, {"bindings", json::array()}});
  policy["kind"] = "storage#policy";
  policy["resourceId"] = "projects/_/buckets/" + bucket.at("name").get<std::string>();
  policy["etag"] = Base64Encode("policy " + std::to_string(bucket.value("policyVersion", 0)));
  return policy;
}

}  // namespace

Reply GetPolicy(Call& call, const std::string& bucket) {
  if (auto may = call.grant.Require("storage.buckets.getIamPolicy", bucket); !may) {
    return may.error();
  }
  const auto resource = call.state.storage.Bucket(bucket);
  return resource ? ResourceReply(call, PolicyOf(*resource)) : resource.error();
}

Reply SetPolicy(Call& call, const std::string& bucket) {
  if (auto may = call.grant.Require("storage.buckets.setIamPolicy", bucket); !may) {
    return may.error();
  }
  const auto body = ReadResource(call);
  if (!body) return body.error();
  const auto change = [&](json& resource) -> Outcome<void> {
    if (body->contains("etag") && (*body)["etag"] != PolicyOf(resource)["etag"]) {
      return Refuse(ConditionNotMet("etag"));
    }
    resource["policy"] = *body;
    resource["policyVersion"] = resource.value("policyVersion", 0) + 1;
    return {};
  };
  const auto changed = call.state.storage.ChangeBucket(bucket, change);
  return changed ? ResourceReply(call, PolicyOf(*changed)) : changed.error();
}

Reply TestPermissions(Call& call, const std::string& bucket) {
  if (auto there = call.state.storage.Bucket(bucket); !there) return there.error();
  json held = json::array();
  for (const auto& [name, value] : call.request.query) {
    if (name == "permissions" && call.grant.Has(value)) held.push_back(value);
  }
  json answer = {{"kind", "storage#testIamPermissionsResponse"}};
  if (!held.empty()) answer["permissions"] = held;
  return ResourceReply(call, answer);
}

}  // namespace kinetic::gcs_server
