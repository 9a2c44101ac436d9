#pragma once

#include "kinetic/result.h"

#include "bundle/write/buffer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

/// One zstd frame: the unit in which packs are compressed, fetched and decompressed.
namespace kinetic::bundle {

/// The most content that a frame of a pack has.
inline constexpr std::uint32_t kMaxFrameBytes = 8U << 20;

/// Compresses with one reused context.
///
/// @threads  one thread at a time.
class Compressor {
 public:
  explicit Compressor(int level);
  Compressor(Compressor&&) noexcept;
  ~Compressor();

  /// One frame, with its content size and without a checksum; valid until the next call.
  std::string_view Compress(std::string_view content);

  /// The same, for the caller to keep.
  Buffer CompressToKeep(std::string_view content);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Decompresses with one reused context.
///
/// @threads  one thread at a time.
class Decompressor {
 public:
  Decompressor();
  Decompressor(Decompressor&&) noexcept;
  ~Decompressor();

  /// The content of exactly one frame that says it has `content_bytes`; refused before anything is
  /// allocated when the frame says otherwise. Valid until the next call.
  ///
  /// @errors  kDataLoss.
  Result<std::string_view> Decompress(std::string_view frame, std::uint64_t content_bytes);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// A frame of raw blocks: what stands before block `block` of a content, and how long the blocks
/// and the whole frame are.
inline constexpr std::size_t kRawBlockBytes = 128 << 10;
std::string RawHeader(std::size_t content_bytes, std::size_t block);
std::size_t RawFrameBytes(std::size_t content_bytes);

/// A frame that holds `content`, less than 4 GiB, as it is.
std::string StoreAsIs(std::string_view content);

}  // namespace kinetic::bundle
