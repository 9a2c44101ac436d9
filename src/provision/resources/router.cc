#include "google/api/services.h"
#include "json/document.h"
#include "provision/resources/all.h"
#include "provision/resources/api_resource.h"

#include <string>
#include <utility>

namespace kinetic::provision {

std::string RouterName(const std::string& cluster) { return cluster + "-nat"; }

std::string RouterDescription(const std::string& cluster) {
  return "NAT of the kinetic cluster " + cluster;
}

/// @source  https://cloud.google.com/nat/docs/gke-example
std::unique_ptr<Resource> MakeRouter(const Scope& scope, const std::string& network) {
  const std::string folder = "/compute/v1/" + scope.ProjectPath() + "/regions/" + scope.Region();
  const std::string description = RouterDescription(scope.name);
  const Value nat(Value::Map{{"name", "nat"},
                             {"natIpAllocateOption", "AUTO_ONLY"},
                             {"sourceSubnetworkIpRangesToNat", "ALL_SUBNETWORKS_ALL_IP_RANGES"}});
  const std::string path =
      network.find('/') != std::string::npos
          ? network
          : scope.ProjectPath() + "/global/networks/" + (network.empty() ? "default" : network);
  ApiResourceSpec spec;
  spec.kind = kRouterKind;
  spec.name = RouterName(scope.name);
  spec.detail = "NAT for nodes without external addresses";
  spec.needs = {"APIs"};
  spec.service = google::kCompute;
  spec.path = folder + "/routers/" + spec.name;
  spec.create = {"POST", spec.service, folder + "/routers",
                 Value::Map{{"name", spec.name},
                            {"description", description},
                            {"network", path},
                            {"nats", Value::List{nat}}}};
  spec.operation_path = [folder](const std::string& operation) {
    return folder + "/operations/" + operation;
  };
  spec.compare = [description](const Value& existing) {
    Comparison comparison;
    comparison.ours = json::TextAt(existing, "description") == description;
    return comparison;
  };
  return MakeApiResource(*scope.api, std::move(spec));
}

}  // namespace kinetic::provision
