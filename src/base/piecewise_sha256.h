#pragma once

#include "base/digest.h"
#include "base/sha256_instructions.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kinetic {

/// SHA-256 of a sequence of bytes, and of each of the pieces that it is cut into. Where pieces
/// begin at multiples of 64 bytes, and the processor has instructions for it, that takes half as
/// long again as one digest alone, and not twice as long.
///
/// @threads  one thread at a time.
class PiecewiseSha256 {
 public:
  explicit PiecewiseSha256(bool use_instructions = HasSha256Instructions());

  void Update(std::string_view bytes);
  /// The digest of what was given since the last piece ended.
  Digest EndPiece();
  /// The digest of all that was given. Nothing can be given any more.
  Digest Finish();

 private:
  /// One digest on the processor's instructions.
  struct Stream {
    Sha256State state;
    std::array<char, kSha256BlockBytes> pending{};
    std::uint64_t bytes = 0;

    Stream();
    std::size_t pending_bytes() const { return bytes % kSha256BlockBytes; }
    Digest Finish();
  };
  /// The same bytes to both, which are as far in their blocks; `other` may be null.
  static void Update(Stream& one, Stream* other, std::string_view bytes);

  struct Instructed {
    Stream whole;
    Stream piece;
  };
  struct Portable {
    Sha256 whole;
    Sha256 piece;
  };
  std::optional<Instructed> instructed_;
  std::optional<Portable> portable_;
  bool is_first_ = true;  ///< the first piece is the whole so far
};

}  // namespace kinetic
