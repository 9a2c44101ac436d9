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

/// A frame of small contents is closed at this size. Less new content is stored inline.
inline constexpr std::size_t kFrameBytes = 256 << 10;

/// The result of FrameBuilder::Finish.
struct StoredContent {
  std::vector<PackInfo> packs;
  std::string inline_bytes;
  std::uint64_t stored_packs = 0;  ///< excluding packs that existed
  std::uint64_t stored_bytes = 0;
};

/// Distributes the new content of a bundle to frames, each content once: small files share frames,
/// chunks have their own. Content of less than one frame in total is stored inline.
///
/// @threads  one thread at a time.
class FrameBuilder {
 public:
  explicit FrameBuilder(Packer& packer) : packer_(packer) {}

  /// Adds the content of a small file, unless it was added before.
  Status Add(const Digest& digest, std::string_view bytes);

  /// Adds a chunk of a large file, unless it was added before. Chunks shorter than kFrameBytes
  /// share frames.
  Status AddChunk(const Digest& digest, Buffer chunk, bool compressible);

  bool Has(const Digest& digest) const { return locations_.contains(digest); }

  /// Closes the last frame, or returns its content inline if it is the only one. No content can be
  /// added afterwards.
  Result<StoredContent> Finish();

  /// Returns the location of a content after Finish. Packs are numbered as in StoredContent::packs.
  std::optional<Extent> Find(const Digest& digest) const;

 private:
  static constexpr std::uint64_t kOpen = ~std::uint64_t{0};
  struct Location {
    std::uint64_t frame = kOpen;  ///< the Packer's number, or kOpen
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
  };

  Status CloseFrame();

  Packer& packer_;
  std::string open_;
  std::vector<Digest> open_digests_;
  std::unordered_map<Digest, Location> locations_;
  std::vector<PackedFrames::Place> frames_;
  bool has_frames_ = false;
};

}  // namespace kinetic::bundle
