#pragma once

#include "kinetic/datasets.h"
#include "kinetic/environments.h"
#include "kinetic/images.h"

#include "job/context.h"

#include <memory>

namespace kinetic {

// The parts of a client's interface keep the client's context alive.

struct Datasets::Impl {
  std::shared_ptr<job::Context> context;
};

struct Environments::Impl {
  std::shared_ptr<job::Context> context;
};

struct Images::Impl {
  std::shared_ptr<job::Context> context;
};

}  // namespace kinetic
