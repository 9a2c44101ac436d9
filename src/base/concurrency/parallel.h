#pragma once

#include "kinetic/result.h"

#include <cstddef>
#include <functional>
#include <stop_token>

namespace kinetic {

/// Calls `work(index, stop)` for every index in [0, count) on up to `threads` threads. The calling
/// thread is one of them, and the only one if no other can be started. The first error requests a
/// stop of the other calls and is returned.
Status ParallelFor(std::size_t threads, std::size_t count, std::stop_token stop,
                   const std::function<Status(std::size_t index, std::stop_token stop)>& work);

/// Returns the number of processors that this process may use, at least 1.
std::size_t ProcessorCount();

}  // namespace kinetic
