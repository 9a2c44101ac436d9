#pragma once

#include "kinetic/result.h"

#include "base/files/unique_fd.h"

namespace kinetic {

/// Both ends of a pipe. Neither is inherited by programs.
struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> MakePipe();

}  // namespace kinetic
