#include "kinetic/try.h"

#include "base/strings.h"
#include "base/time/clock.h"
#include "kube/object.h"
#include "kube/resource.h"
#include "provision/cluster_access.h"
#include "provision/includes.h"
#include "provision/resources/user.h"
#include "provision/user.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kRbacVersion = "rbac.authorization.k8s.io/v1";
constexpr std::string_view kRole = "kinetic-user";
constexpr std::string_view kNodesRole = "kinetic-nodes";
constexpr std::string_view kUserAnnotation = "kinetic.dev/user";

Value::List TextList(std::initializer_list<std::string_view> texts) {
  Value::List list;
  list.reserve(texts.size());
  for (const std::string_view text : texts) list.emplace_back(std::string(text));
  return list;
}

Value Rule(std::string_view group, std::initializer_list<std::string_view> resources,
           std::initializer_list<std::string_view> verbs) {
  return Value::Map{{"apiGroups", TextList({group})},
                    {"resources", TextList(resources)},
                    {"verbs", TextList(verbs)}};
}

/// What the client needs, as docs/reference/cluster-access.md lists it.
Value::List UserRules() {
  return {Rule("batch", {"jobs"}, {"create", "get", "list", "watch", "patch", "delete"}),
          Rule("", {"pods"}, {"get", "list", "watch", "delete"}),
          Rule("", {"pods/log"}, {"get"}),
          Rule("", {"events"}, {"get", "list", "watch"}),
          Rule("", {"secrets"}, {"create", "list", "patch", "delete"}),
          Rule("", {"resourcequotas"}, {"list"}),
          Rule("", {"namespaces", "serviceaccounts"}, {"get"})};
}

Value UserObject(std::string_view version, std::string_view kind, Value metadata) {
  return Value::Map{{"apiVersion", std::string(version)},
                    {"kind", std::string(kind)},
                    {"metadata", std::move(metadata)}};
}

Value Named(std::string_view name) { return Value::Map{{"name", std::string(name)}}; }

Value RoleObject(std::string_view kind, std::string_view name, Value::List rules) {
  Value role = UserObject(kRbacVersion, kind, Named(name));
  role.Set("rules", std::move(rules));
  return role;
}

Value UserBinding(std::string_view kind, std::string_view name, std::string_view role,
                  const std::string& email) {
  Value binding = UserObject(kRbacVersion, kind, Named(name));
  binding.Set("roleRef", Value::Map{{"apiGroup", std::string(kRbacGroup)},
                                    {"kind", kind == "RoleBinding" ? "Role" : "ClusterRole"},
                                    {"name", std::string(role)}});
  binding.Set("subjects",
              Value::List{Value::Map{
                  {"apiGroup", std::string(kRbacGroup)}, {"kind", "User"}, {"name", email}}});
  return binding;
}

struct Member {
  kube::Resource resource;
  Value object;

  std::string_view name() const { return kube::NameOf(object); }
};

class UserNamespaceResource final : public Resource {
 public:
  UserNamespaceResource(const Scope& scope, const ClusterAdminOptions& options, std::string email,
                        NamespaceRemoval removal)
      : scope_(&scope),
        options_(&options),
        email_(std::move(email)),
        name_(UserNamespace(scope, email_)),
        removal_(removal) {}

  std::string Kind() const override { return "namespace"; }
  std::string Name() const override { return name_; }

  Result<Observation> Read(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const auto cluster, ClusterAccess::Find(*scope_, *options_, stop));
    // There is no cluster yet, or it is still being created.
    if (!cluster) return Observation{PlanAction::kCreate, ""};
    KINETIC_RETURN_IF_ERROR(CheckOwner(*cluster, stop));
    for (const Member& member : Members()) {
      KINETIC_ASSIGN_OR_RETURN(const auto found,
                               cluster->client().Get(member.resource, name_, member.name(), stop));
      if (!found || !Includes(*found, member.object)) return Observation{PlanAction::kCreate, ""};
    }
    return Observation{PlanAction::kKeep, ""};
  }

  /// These requests go to the cluster, not to an API of Google.
  std::vector<google::ApiRequest> Requests() const override { return {}; }

  Status Converge(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const ClusterAccess cluster,
                             ClusterAccess::Open(*scope_, *options_, stop));
    KINETIC_RETURN_IF_ERROR(CheckOwner(cluster, stop));
    for (const Member& member : Members()) {
      KINETIC_ASSIGN_OR_RETURN(
          const auto created, cluster.client().Create(member.resource, name_, member.object, stop));
      if (Includes(created.object, member.object)) continue;
      KINETIC_RETURN_IF_ERROR(
          cluster.client().Patch(member.resource, name_, member.name(), member.object, stop));
    }
    return {};
  }

  Result<bool> IsOurs(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const auto cluster, ClusterAccess::Find(*scope_, *options_, stop));
    if (!cluster) return false;
    KINETIC_ASSIGN_OR_RETURN(const std::string owner, OwnerIn(*cluster, stop));
    return owner == email_;
  }

  /// The namespace's jobs are deleted with it.
  Status Remove(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const auto cluster, ClusterAccess::Find(*scope_, *options_, stop));
    if (!cluster) return {};
    KINETIC_ASSIGN_OR_RETURN(const std::string owner, OwnerIn(*cluster, stop));
    if (owner != email_) return {};
    KINETIC_RETURN_IF_ERROR(
        cluster->client().Delete(kube::kClusterRoleBindings, "", name_, {}, stop));
    KINETIC_RETURN_IF_ERROR(cluster->client().Delete(kube::kRoleBindings, name_, kRole, {}, stop));
    if (removal_ == NamespaceRemoval::kPermissionsOnly) return {};
    return DeleteNamespace(*cluster, name_, std::move(stop));
  }

 private:
  /// Pods cannot leave the namespace through the node: they get no host paths, host network or
  /// privileged containers.
  ///
  /// @source  https://kubernetes.io/docs/concepts/security/pod-security-standards/
  std::vector<Member> Members() const {
    Value metadata = Named(name_);
    metadata.Set("labels", Value::Map{{std::string(kClusterLabel), scope_->name},
                                      {"pod-security.kubernetes.io/enforce", "baseline"}});
    metadata.Set("annotations", Value::Map{{std::string(kUserAnnotation), email_}});
    return {
        {kube::kNamespaces, UserObject("v1", "Namespace", std::move(metadata))},
        {kube::kServiceAccounts, UserObject("v1", "ServiceAccount", Named(kUserServiceAccount))},
        {kube::kRoles, RoleObject("Role", kRole, UserRules())},
        {kube::kRoleBindings, UserBinding("RoleBinding", kRole, kRole, email_)},
        {kube::kClusterRoles,
         RoleObject("ClusterRole", kNodesRole, {Rule("", {"nodes"}, {"get", "list"})})},
        {kube::kClusterRoleBindings, UserBinding("ClusterRoleBinding", name_, kNodesRole, email_)}};
  }

  /// Returns the user that an existing namespace belongs to, "?" if it belongs to no user, "" if it
  /// does not exist.
  Result<std::string> OwnerIn(const ClusterAccess& cluster, std::stop_token stop) const {
    KINETIC_ASSIGN_OR_RETURN(const auto found,
                             cluster.client().Get(kube::kNamespaces, "", name_, std::move(stop)));
    if (!found) return "";
    const std::string_view owner =
        kube::TextAt(*found, {"metadata", "annotations", kUserAnnotation});
    return std::string(owner.empty() ? "?" : owner);
  }

  Status CheckOwner(const ClusterAccess& cluster, std::stop_token stop) const {
    KINETIC_ASSIGN_OR_RETURN(const std::string owner, OwnerIn(cluster, std::move(stop)));
    if (owner.empty() || owner == email_) return {};
    return Fail(ErrorCode::kFailedPrecondition,
                "namespace " + name_ + " exists, but it does not belong to " + email_ +
                    (owner == "?" ? "" : ", but to " + Printable(owner)),
                "use another email address, or delete the namespace");
  }

  const Scope* scope_;
  const ClusterAdminOptions* options_;
  std::string email_;
  std::string name_;
  NamespaceRemoval removal_;
};

}  // namespace

std::unique_ptr<Resource> MakeUserNamespace(const Scope& scope, const ClusterAdminOptions& options,
                                            const std::string& email, NamespaceRemoval removal) {
  return std::make_unique<UserNamespaceResource>(scope, options, email, removal);
}

}  // namespace kinetic::provision
