#pragma once

#include "base/digest.h"

#include <string_view>

namespace kinetic {

/// SHA-256 of a sequence of bytes, and of each of the pieces that it is cut into. What is one piece
/// is hashed once.
///
/// @threads  one thread at a time.
class PiecewiseSha256 {
 public:
  void Update(std::string_view bytes);
  /// The digest of what was given since the last piece ended.
  Digest EndPiece();
  /// The digest of all that was given. Nothing can be given any more.
  Digest Finish();

 private:
  Sha256 whole_;
  Sha256 piece_;
  bool is_first_ = true;  ///< the first piece is the whole so far
};

}  // namespace kinetic
