#pragma once

#include "kube/resource.h"

#include <string>
#include <string_view>

namespace kinetic::kube {

/// What was being done, for messages: "creating job kinetic-x in namespace ml".
struct Operation {
  std::string_view verb;   ///< as a rule of access names it: "create", "list", "watch"
  std::string_view doing;  ///< "creating"
  Resource resource;
  std::string name_space = {};
  std::string name = {};
  std::string_view subresource = {};  ///< "log"

  std::string Text() const;
};

}  // namespace kinetic::kube
