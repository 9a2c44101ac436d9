#pragma once

#include "kinetic/job_spec.h"

#include "backend/target.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::backend {

/// Collects the limitations that a target's check of a job finds.
class Limitations {
 public:
  void Refuse(bool present, std::string key, std::string reason) {
    if (present) found_.push_back({std::move(key), std::move(reason), true});
  }
  void Ignore(bool present, std::string key, std::string reason) {
    if (present) found_.push_back({std::move(key), std::move(reason), false});
  }
  std::vector<Limitation> Take() { return std::move(found_); }

 private:
  std::vector<Limitation> found_;
};

/// Returns whether a path argument, `{$path: p}`, is `folder` or below it.
bool IsReferredTo(const Arguments& args, const std::filesystem::path& folder);

}  // namespace kinetic::backend
