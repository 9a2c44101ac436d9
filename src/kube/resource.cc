#include "kube/resource.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic::kube {

http::Url CollectionUrl(std::string_view server, const Resource& resource,
                        std::string_view name_space) {
  http::Url url(server);
  if (resource.group.empty()) {
    url.Raw("/api");
  } else {
    url.Raw("/apis").Part(resource.group);
  }
  url.Part(resource.version);
  if (resource.namespaced && !name_space.empty()) url.Raw("/namespaces").Part(name_space);
  return url.Part(resource.plural);
}

http::Url ObjectUrl(std::string_view server, const Resource& resource, std::string_view name_space,
                    std::string_view name) {
  return CollectionUrl(server, resource, name_space).Part(name);
}

std::string QualifiedName(const Resource& resource) {
  std::string name(resource.plural);
  return resource.group.empty() ? name : name + "." + std::string(resource.group);
}

std::string Singular(const Resource& resource) {
  using Row = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Row, 12> kIrregular{{
      {"configmaps", "config map"},
      {"serviceaccounts", "service account"},
      {"resourcequotas", "resource quota"},
      {"limitranges", "limit range"},
      {"persistentvolumeclaims", "volume claim"},
      {"priorityclasses", "priority class"},
      {"localqueues", "local queue"},
      {"rolebindings", "role binding"},
      {"clusterroles", "cluster role"},
      {"clusterrolebindings", "cluster role binding"},
      {"selfsubjectaccessreviews", "access review"},
      {"selfsubjectreviews", "account review"},
  }};
  const auto* const row = std::find_if(kIrregular.begin(), kIrregular.end(), [&](const Row& known) {
    return known.first == resource.plural;
  });
  if (row != kIrregular.end()) return std::string(row->second);
  std::string name(resource.plural);
  if (name.ends_with('s')) name.pop_back();
  return name;
}

}  // namespace kinetic::kube
