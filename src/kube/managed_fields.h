#pragma once

#include <string>
#include <string_view>

namespace kinetic::kube {

/// JSON of the API with every "managedFields" list emptied: who set which field is up to half of an
/// object and of no use here, and skipping it is far quicker than parsing it. What is no such list
/// stays as it is.
std::string WithoutManagedFields(std::string_view json);

}  // namespace kinetic::kube
