#pragma once

#include "kinetic/job_spec.h"

#include "backend/target.h"

#include <string>
#include <utility>
#include <vector>

namespace kinetic::backend {

/// Collects the limitations that a target's check of a job finds.
class Limitations {
 public:
  void Refuse(bool present, std::string key, std::string reason, std::string hint = {}) {
    if (present) found_.push_back({std::move(key), std::move(reason), true, std::move(hint)});
  }
  void Ignore(bool present, std::string key, std::string reason) {
    if (present) found_.push_back({std::move(key), std::move(reason), false, {}});
  }
  std::vector<Limitation> Take() { return std::move(found_); }

 private:
  std::vector<Limitation> found_;
};

}  // namespace kinetic::backend
