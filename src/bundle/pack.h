#pragma once

#include "kinetic/result.h"

#include "base/digest.h"
#include "bundle/tree.h"
#include "store/store.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::bundle {

/// The index of a pack with these frames: the skippable frame at its end.
std::string EncodePackIndex(std::span<const Frame> frames);

/// The frames of a pack.
///
/// @param tail        the last bytes of the object, the whole index at least.
/// @param pack_bytes  the size of the object.
/// @errors            kDataLoss, naming the place; kFailedPrecondition for a newer format.
Result<std::vector<Frame>> DecodePackIndex(std::string_view tail, std::uint64_t pack_bytes);

/// A pack as it is put together: pieces in memory, each a frame, and the index behind them.
///
/// @threads  one thread at a time.
class Pack final : public store::Source {
 public:
  /// Takes a frame; returns its number.
  std::uint32_t Add(std::string stored, std::uint32_t content_bytes);
  /// Puts the index behind the frames; nothing can be added any more.
  void Close();
  /// The name of the closed pack.
  Digest digest() const;

  const std::vector<Frame>& frames() const { return frames_; }
  std::uint64_t size_bytes() const override { return size_bytes_; }
  Status Rewind() override;
  Result<std::string_view> Next() override;

 private:
  std::vector<std::string> pieces_;
  std::vector<Frame> frames_;
  std::uint64_t size_bytes_ = 0;
  std::size_t next_ = 0;
};

}  // namespace kinetic::bundle
