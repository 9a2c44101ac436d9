#include "kinetic/try.h"

#include "kube/resource.h"
#include "provision/cluster_access.h"
#include "provision/resources/all.h"

#include <memory>
#include <string>
#include <utility>

namespace kinetic::provision {
namespace {

Value NamedObject(std::string_view kind, std::string_view name) {
  return Value::Map{{"apiVersion", "v1"},
                    {"kind", std::string(kind)},
                    {"metadata", Value::Map{{"name", std::string(name)}}}};
}

/// Objects in the cluster. They are deleted with it.
class Namespace final : public Resource {
 public:
  Namespace(const Scope& scope, const ClusterAdminOptions& options)
      : scope_(&scope), options_(&options) {}

  std::string Kind() const override { return "namespace"; }
  std::string Name() const override { return scope_->name_space; }
  std::vector<std::string> Needs() const override { return {"cluster"}; }

  Result<Observation> Read(std::stop_token stop) override {
    Observation observation{PlanAction::kCreate, "with service account " + scope_->JobsAccount()};
    const auto cluster = ClusterAccess::Open(*scope_, *options_, stop);
    // There is no cluster yet, or it is still being created.
    if (!cluster) return observation;
    const auto account = cluster->client().Get(kube::kServiceAccounts, scope_->name_space,
                                               scope_->JobsAccount(), std::move(stop));
    if (account && *account) observation.action = PlanAction::kKeep;
    return observation;
  }

  /// These requests go to the cluster, not to an API of Google.
  std::vector<google::ApiRequest> Requests() const override { return {}; }

  Status Converge(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const ClusterAccess cluster,
                             ClusterAccess::Open(*scope_, *options_, stop));
    const kube::Client& client = cluster.client();
    KINETIC_RETURN_IF_ERROR(
        client.Create(kube::kNamespaces, "", NamedObject("Namespace", scope_->name_space), stop));
    KINETIC_RETURN_IF_ERROR(client.Create(kube::kServiceAccounts, scope_->name_space,
                                          NamedObject("ServiceAccount", scope_->JobsAccount()),
                                          stop));
    return {};
  }

  Result<bool> IsOurs(std::stop_token /*stop*/) override { return false; }
  Status Remove(std::stop_token /*stop*/) override { return {}; }

 private:
  const Scope* scope_;
  const ClusterAdminOptions* options_;
};

}  // namespace

std::unique_ptr<Resource> MakeNamespace(const Scope& scope, const ClusterAdminOptions& options) {
  return std::make_unique<Namespace>(scope, options);
}

}  // namespace kinetic::provision
