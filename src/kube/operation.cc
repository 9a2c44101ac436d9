#include "kube/error.h"

namespace kinetic::kube {

std::string Operation::Text() const {
  std::string text(doing);
  const bool one = !name.empty();
  if (!subresource.empty()) text += " the " + std::string(subresource) + " of";
  text += " " + (one ? Singular(resource) + " " + name : std::string(resource.plural));
  if (!name_space.empty() && resource.namespaced) text += " in namespace " + name_space;
  return text;
}

}  // namespace kinetic::kube
