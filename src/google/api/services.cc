#include "google/api/services.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace kinetic::google {
namespace {

constexpr std::array<Service, 9> kServices{{
    {kArtifactRegistry, "ask for roles/artifactregistry.admin in the project"},
    {kBilling, "ask for roles/billing.viewer on the billing account"},
    {kCompute, "ask for roles/compute.viewer in the project"},
    {kContainer,
     "ask for roles/container.admin in the project; to run jobs only, for "
     "roles/container.developer or at least container.clusters.get"},
    {kIam, "ask for roles/iam.serviceAccountAdmin in the project"},
    {kQuotas, "ask for roles/cloudquotas.viewer in the project"},
    {kResourceManager, "ask for roles/resourcemanager.projectIamAdmin in the project"},
    {kServiceUsage, "ask for roles/serviceusage.serviceUsageAdmin in the project"},
    {kStorage, "ask for roles/storage.admin in the project"},
}};

}  // namespace

Service ServiceOfUrl(std::string_view url) {
  const std::string_view path = url.substr(0, url.find('?'));
  const auto* const found = std::ranges::find_if(kServices, [&](const Service& service) {
    return path.find("/" + std::string(service.name) + "/") != std::string_view::npos;
  });
  return found != kServices.end() ? *found : Service{};
}

}  // namespace kinetic::google
