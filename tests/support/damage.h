#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kinetic::test {

/// Calls `each` with `bytes` damaged in many ways: each byte flipped in several ways, cut at each
/// length, something appended, two neighbors or blocks exchanged, a block repeated, a block of
/// zeros. `how` describes the damage.
void ForEachDamage(
    std::string_view bytes,
    const std::function<void(const std::string& damaged, const std::string& how)>& each);

/// Runs `work` in a child process. Returns the increase of its peak memory in MiB, or -1 if it
/// failed.
long PeakMemoryOf(const std::function<bool()>& work);

/// Returns false with sanitizers, which keep freed memory.
bool MemoryIsMeasurable();

}  // namespace kinetic::test
