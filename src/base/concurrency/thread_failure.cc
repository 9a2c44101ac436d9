#include "base/concurrency/thread_failure.h"

#include <fmt/format.h>

namespace kinetic {

Failure ThreadFailure(std::string_view operation, const std::system_error& error) {
  return Fail(
      ErrorCode::kResourceExhausted,
      fmt::format("{}: cannot start a thread: {}", operation, error.code().message()),
      "raise the limit of processes and threads: see `ulimit -u`, or pids.max of a container");
}

}  // namespace kinetic
