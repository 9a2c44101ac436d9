#pragma once

#include "kinetic/result.h"

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

  /// One frame, with its content size and without a checksum.
  std::string Compress(std::string_view content);

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

/// A frame that holds `content` (at most kMaxFrameBytes) as it is, in raw blocks.
std::string StoreAsIs(std::string_view content);

}  // namespace kinetic::bundle
