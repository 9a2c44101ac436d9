#include "provision/policy.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "google/api/services.h"
#include "http/retry.h"
#include "http/url.h"
#include "json/document.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

namespace kinetic::provision {
namespace {

/// Policies with conditions can only be read and written with this version.
constexpr int kPolicyVersion = 3;

bool IsBindingOf(const Value& binding, const Grant& grant) {
  if (json::TextAt(binding, "role") != grant.role) return false;
  const Value* condition = binding.Find("condition");
  if (condition == nullptr) return grant.only_if.empty();
  return !grant.only_if.empty() && json::TextAt(*condition, "expression") == grant.only_if;
}

Value NewBinding(const Grant& grant) {
  Value binding(Value::Map{{"role", grant.role}, {"members", Value::List{Value(grant.member)}}});
  if (!grant.only_if.empty()) {
    binding.Set("condition",
                Value::Map{{"title", grant.description}, {"expression", grant.only_if}});
  }
  return binding;
}

Value::List BindingsOf(const Value& policy) {
  const Value* bindings = policy.Find("bindings");
  return bindings != nullptr && bindings->AsList() != nullptr ? *bindings->AsList() : Value::List{};
}

Value::List MembersOf(const Value& binding) {
  const Value* members = binding.Find("members");
  return members != nullptr && members->AsList() != nullptr ? *members->AsList() : Value::List{};
}

/// Email addresses have no case; principals have.
bool IsMember(const Value& member, const std::string& wanted) {
  const std::string* name = member.AsString();
  if (name == nullptr) return false;
  const bool is_principal = wanted.starts_with("principal");
  return is_principal ? *name == wanted : ToLower(*name) == ToLower(wanted);
}

bool Contains(const Value& policy, const Grant& grant) {
  return std::ranges::any_of(BindingsOf(policy), [&](const Value& binding) {
    return IsBindingOf(binding, grant) &&
           std::ranges::any_of(MembersOf(binding),
                               [&](const Value& member) { return IsMember(member, grant.member); });
  });
}

void Add(Value::List& bindings, const Grant& grant) {
  const auto binding =
      std::ranges::find_if(bindings, [&](const Value& value) { return IsBindingOf(value, grant); });
  if (binding == bindings.end()) {
    bindings.push_back(NewBinding(grant));
    return;
  }
  Value::List members = MembersOf(*binding);
  members.emplace_back(grant.member);
  binding->Set("members", std::move(members));
}

void Remove(Value::List& bindings, const Grant& grant) {
  for (Value& binding : bindings) {
    if (!IsBindingOf(binding, grant)) continue;
    Value::List members = MembersOf(binding);
    std::erase_if(members, [&](const Value& member) { return IsMember(member, grant.member); });
    binding.Set("members", std::move(members));
  }
  std::erase_if(bindings, [](const Value& binding) { return MembersOf(binding).empty(); });
}

/// Returns the changed policy, or nullopt to keep it.
using PolicyEdit = std::function<std::optional<Value>(Value policy)>;

Status EditPolicy(const google::ApiClient& api, const PolicyTarget& target, const PolicyEdit& edit,
                  const std::stop_token& stop) {
  http::Backoff backoff(kConflicts, api.clock());
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(Value policy, api.Send(target.read, stop));
    auto edited = edit(std::move(policy));
    if (!edited) return {};
    google::ApiRequest write = target.write;
    write.body = PolicyBody(target, *std::move(edited));
    const auto written = api.Send(write, stop);
    if (written) return {};
    if (!IsConflict(written.error())) return Failure(written.error());
    KINETIC_RETURN_IF_ERROR(backoff.Wait(written.error(), std::nullopt, stop));
  }
}

}  // namespace

PolicyTarget ProjectPolicy(const std::string& project) {
  const std::string path = "/v3/projects/" + http::PercentEncode(project);
  const std::string service(google::kResourceManager);
  const Value options(Value::Map{{"requestedPolicyVersion", kPolicyVersion}});
  return {.read = {"POST", service, path + ":getIamPolicy", Value::Map{{"options", options}}},
          .write = {"POST", service, path + ":setIamPolicy"}};
}

PolicyTarget BucketPolicy(const std::string& bucket) {
  const std::string path = "/storage/v1/b/" + http::PercentEncode(bucket) + "/iam";
  const std::string service(google::kStorage);
  return {.read = {"GET", service, path + "?optionsRequestedPolicyVersion=3"},
          .write = {"PUT", service, path},
          .wrapped = false};
}

PolicyTarget FolderPolicy(const std::string& bucket, const std::string& folder) {
  const std::string path = "/storage/v1/b/" + http::PercentEncode(bucket) + "/managedFolders/" +
                           http::PercentEncode(folder) + "/iam";
  const std::string service(google::kStorage);
  return {.read = {"GET", service, path + "?optionsRequestedPolicyVersion=3"},
          .write = {"PUT", service, path},
          .wrapped = false};
}

PolicyTarget RepositoryPolicy(const std::string& path) {
  const std::string service(google::kArtifactRegistry);
  return {
      .read = {"GET", service, "/v1/" + path + ":getIamPolicy?options.requestedPolicyVersion=3"},
      .write = {"POST", service, "/v1/" + path + ":setIamPolicy"}};
}

std::size_t CountGrants(const Value& policy, const std::vector<Grant>& grants) {
  return static_cast<std::size_t>(
      std::ranges::count_if(grants, [&](const Grant& grant) { return Contains(policy, grant); }));
}

Value AddGrants(Value policy, const std::vector<Grant>& grants) {
  Value::List bindings = BindingsOf(policy);
  for (const Grant& grant : grants) {
    if (!Contains(policy, grant)) Add(bindings, grant);
  }
  policy.Set("bindings", std::move(bindings));
  policy.Set("version", kPolicyVersion);
  return policy;
}

Value RemoveGrants(Value policy, const std::vector<Grant>& grants) {
  Value::List bindings = BindingsOf(policy);
  for (const Grant& grant : grants) Remove(bindings, grant);
  policy.Set("bindings", std::move(bindings));
  policy.Set("version", kPolicyVersion);
  return policy;
}

Value PolicyBody(const PolicyTarget& target, Value policy) {
  if (!target.wrapped) return policy;
  return Value::Map{{"policy", std::move(policy)}};
}

bool IsConflict(const Error& error) {
  // Cloud Storage reports a changed resource as a failed precondition.
  const std::pair<std::string, std::string> changed("status", "412");
  return error.code == ErrorCode::kAborted || error.code == ErrorCode::kAlreadyExists ||
         std::ranges::find(error.details, changed) != error.details.end();
}

Status ChangePolicy(const google::ApiClient& api, const PolicyTarget& target, PolicyChange change,
                    const std::vector<Grant>& grants, std::stop_token stop) {
  const bool adds = change == PolicyChange::kAdd;
  const auto edit = [&](Value policy) -> std::optional<Value> {
    if (CountGrants(policy, grants) == (adds ? grants.size() : 0)) return std::nullopt;
    return adds ? AddGrants(std::move(policy), grants) : RemoveGrants(std::move(policy), grants);
  };
  return EditPolicy(api, target, edit, stop);
}

Status ReplaceGrants(const google::ApiClient& api, const PolicyTarget& target,
                     const std::vector<Grant>& grants, const std::vector<Grant>& revoked,
                     std::stop_token stop) {
  const auto edit = [&](Value policy) -> std::optional<Value> {
    if (CountGrants(policy, grants) == grants.size()) return std::nullopt;
    return AddGrants(RemoveGrants(std::move(policy), revoked), grants);
  };
  return EditPolicy(api, target, edit, stop);
}

}  // namespace kinetic::provision
