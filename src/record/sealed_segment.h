#pragma once

#include "kinetic/result.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace kinetic::record {

/// Takes stored log bytes apart: plain segments, each sealed as one zstd frame, one after the
/// other. Holds one plain segment at a time.
///
/// @threads  one thread at a time.
class Unsealer {
 public:
  Unsealer();
  ~Unsealer();

  /// Takes more bytes and calls `each` with every plain segment that is complete; `each` may take
  /// it.
  ///
  /// @errors  kDataLoss: no zstd frame, or longer than a segment can be (kLogSegmentBytes and one
  ///          record); those of `each`. The unsealer is of no more use then.
  Status Feed(std::string_view sealed, const std::function<Status(std::string& plain)>& each);

  /// Whether the bytes so far end behind a segment, and there was one.
  bool AtEnd() const { return segments_ > 0 && !inside_; }
  std::size_t segments() const { return segments_; }

 private:
  struct Context;

  std::unique_ptr<Context> context_;
  std::string plain_;
  bool inside_ = false;
  std::size_t segments_ = 0;
};

}  // namespace kinetic::record
