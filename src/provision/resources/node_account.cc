#include "google/api/services.h"
#include "json/document.h"
#include "provision/resources/all.h"
#include "provision/resources/api_resource.h"

#include <string>
#include <utility>

namespace kinetic::provision {

std::unique_ptr<Resource> MakeNodeAccount(const Scope& scope) {
  const std::string service(google::kIam);
  const std::string collection = "/v1/" + scope.ProjectPath() + "/serviceAccounts";
  // Service accounts have no labels, so the description identifies the owner.
  const std::string description = "Nodes of the kinetic cluster " + scope.name;
  const Value body(Value::Map{{"accountId", scope.NodeAccountId()},
                              {"serviceAccount", Value::Map{{"displayName", scope.NodeAccountId()},
                                                            {"description", description}}}});
  ApiResourceSpec spec;
  spec.kind = kAccountKind;
  spec.name = scope.NodeAccountId();
  spec.detail = "for nodes";
  spec.needs = {"APIs"};
  spec.service = service;
  spec.path = collection + "/" + scope.NodeAccount();
  spec.create = {"POST", service, collection, body};
  spec.compare = [description](const Value& existing) {
    Comparison comparison;
    comparison.ours = json::TextAt(existing, "description") == description;
    return comparison;
  };
  return MakeApiResource(*scope.api, std::move(spec));
}

}  // namespace kinetic::provision
