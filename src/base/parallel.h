#pragma once

#include "kinetic/result.h"

#include <cstddef>
#include <functional>
#include <stop_token>

namespace kinetic {

/// Calls `work(index, stop)` for every index in [0, count) on up to `threads` threads, in order of
/// index as threads become free. The first error stops what has not begun, is passed to the rest as
/// a stop request, and is returned. With one thread or one item everything happens on the caller's.
Status Parallel(std::size_t threads, std::size_t count, std::stop_token stop,
                const std::function<Status(std::size_t index, std::stop_token stop)>& work);

/// The number of processors this process may use, at least 1.
std::size_t ProcessorCount();

}  // namespace kinetic
