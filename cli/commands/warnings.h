#pragma once

#include "kinetic/observer.h"

#include "output/base.h"

namespace kinetic::cli {

/// Prints the warnings of an operation, next to its answer.
class Warnings final : public Observer {
 public:
  explicit Warnings(Output& output) : output_(output) {}
  void OnWarning(std::string_view message) override { output_.Warn(message); }

 private:
  Output& output_;
};

}  // namespace kinetic::cli
