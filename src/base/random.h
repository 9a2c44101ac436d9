#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kinetic {

/// `count` bytes from the system's cryptographic generator.
std::string RandomBytes(std::size_t count);

/// 16 characters of [a-z2-7], 80 random bits: enough for ids that never meet.
std::string RandomId();

/// Uniform in [0, bound); bound > 0. For jitter, not for secrets.
std::uint64_t RandomBelow(std::uint64_t bound);

}  // namespace kinetic
