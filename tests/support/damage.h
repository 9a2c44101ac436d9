#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kinetic::test {

/// Calls `each` with `bytes` altered in every way that a disk, a network or somebody may alter
/// them: each byte flipped in several ways, cut at each length, something behind it, two neighbours
/// or two blocks that changed places, a block twice, a block of zeros. `how` tells them apart.
void ForEachDamage(
    std::string_view bytes,
    const std::function<void(const std::string& damaged, const std::string& how)>& each);

/// Runs `work` in a process of its own; returns by how many MiB its peak memory is above that of
/// its beginning, or -1 when it failed.
long PeakMemoryOf(const std::function<bool()>& work);

/// Sanitizers keep freed memory: then there is nothing to compare.
bool MemoryIsMeasurable();

}  // namespace kinetic::test
