#pragma once

#include "kinetic/result.h"

#include <vector>

namespace kinetic::provision {

/// Collects independent failures, so that a user can correct all of them at once.
class Problems {
 public:
  void Add(const Status& status);

  /// Returns all failures as one, with the code and the details of the first one.
  Status Finish() const;

 private:
  std::vector<Error> errors_;
};

}  // namespace kinetic::provision
