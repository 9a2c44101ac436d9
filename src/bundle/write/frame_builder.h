#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "bundle/format/tree.h"
#include "bundle/write/packer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kinetic::bundle {

/// A frame of shared content is closed when it holds as much; less new content rides inline.
inline constexpr std::size_t kFrameBytes = 256 << 10;

/// New content as it was laid out at the end of Composer::Finish.
struct Composed {
  std::vector<PackInfo> packs;
  std::string inline_bytes;
  std::uint64_t stored_packs = 0;  ///< without those that were there
  std::uint64_t stored_bytes = 0;
};

/// Lays out the new content of a bundle: each content once, small ones side by side in frames,
/// chunks in frames of their own, and what is little in all as inline bytes.
///
/// @threads  one thread at a time.
class Composer {
 public:
  explicit Composer(Packer& packer) : packer_(packer) {}

  /// Adds the content of a small file, unless it is there; it shares a frame with its neighbours.
  Status Add(const Digest& digest, std::string_view bytes);

  /// Adds a chunk of a large file, unless it is there: a frame of its own, or as Add when it is
  /// shorter than kFrameBytes.
  Status AddChunk(const Digest& digest, Buffer chunk, bool compressible);

  bool Has(const Digest& digest) const { return places_.contains(digest); }

  /// Writes what is open, as inline bytes when it is all there is. Nothing can be added any more.
  Result<Composed> Finish();

  /// Where a content is, after Finish; pack numbers are those of Composed::packs.
  std::optional<Extent> Find(const Digest& digest) const;

 private:
  static constexpr std::uint64_t kOpen = ~std::uint64_t{0};
  struct Place {
    std::uint64_t frame = kOpen;  ///< number of the Packer's, or kOpen for the open one
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
  };

  Status CloseFrame();

  Packer& packer_;
  std::string open_;
  std::vector<Digest> in_open_;
  std::unordered_map<Digest, Place> places_;
  std::vector<PackedFrames::Place> frames_;
  bool any_frame_ = false;
};

}  // namespace kinetic::bundle
