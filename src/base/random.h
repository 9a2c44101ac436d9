#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kinetic {

/// Returns `count` bytes from the system's cryptographic generator.
std::string RandomBytes(std::size_t count);

/// Returns a unique id: 16 characters of [a-z2-7] with 80 random bits.
std::string RandomId();

/// Returns a uniformly distributed number in [0, bound), where bound > 0. Not for secrets.
std::uint64_t RandomBelow(std::uint64_t bound);

}  // namespace kinetic
