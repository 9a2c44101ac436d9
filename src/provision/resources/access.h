#pragma once

#include "provision/policy.h"
#include "provision/resource.h"

#include <memory>
#include <string>
#include <vector>

namespace kinetic::provision {

/// Grants on one resource.
struct AccessSpec {
  std::string name;  ///< "nodes: pull images"
  PolicyTarget target;
  std::vector<Grant> grants;
  std::vector<std::string> needs;
  std::vector<Grant> earlier = {};  ///< of earlier versions: replaced, and removed with the others
  std::vector<Grant> revoked = {};  ///< removed when the grants are added, but not later
  bool first_suffices = false;      ///< the other grants are optional
  std::string earlier_warning;      ///< not empty: earlier grants are kept, with this warning
};

std::unique_ptr<Resource> MakeAccess(const google::ApiClient& api, AccessSpec spec);

}  // namespace kinetic::provision
