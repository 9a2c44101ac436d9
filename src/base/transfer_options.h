#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace kinetic {

/// How a large object travels. Each connection holds a few megabytes, whatever the size of a part.
struct TransferOptions {
  std::uint64_t part_bytes = 16U << 20;
  std::size_t connections = 6;  ///< at once; 9 MB of memory each at most
  /// Is told of bytes that have travelled, or need not any more. Called from several threads; may
  /// be empty.
  std::function<void(std::uint64_t bytes)> on_bytes;
};

}  // namespace kinetic
