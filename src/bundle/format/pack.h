#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "bundle/format/tree.h"
#include "bundle/write/buffer.h"
#include "store/object_store.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// Whether all bytes are zero.
bool IsZero(std::string_view bytes);

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
  /// Takes a frame as it is to be stored, and its sha256; returns its number.
  std::uint32_t Add(Buffer frame, const Digest& digest, std::uint32_t content_bytes);
  /// Takes content that becomes a frame of raw blocks, and its sha256.
  std::uint32_t AddAsIs(Buffer content, const Digest& digest);
  /// Puts the index behind the frames; nothing can be added any more.
  void Close();
  /// The name of the closed pack.
  const Digest& digest() const { return digest_; }

  const std::vector<Frame>& frames() const { return frames_; }
  std::uint64_t size_bytes() const override { return size_bytes_; }
  Status Rewind() override;
  Result<std::string_view> Next() override;
  std::string identity() const override { return digest_.Hex(); }

 private:
  struct Piece {
    Buffer bytes;
    bool raw = false;  ///< `bytes` are content, to be framed on the way
  };
  std::uint32_t Append(Piece piece, const Digest& digest, std::size_t stored_bytes,
                       std::size_t content_bytes);
  std::string_view NextOfRaw(std::string_view content);

  std::vector<Piece> pieces_;
  std::vector<Frame> frames_;
  std::uint64_t size_bytes_ = 0;
  std::size_t next_ = 0;         ///< piece
  std::size_t next_in_raw_ = 0;  ///< twice the block, and one more when its header is out
  std::string header_;
  Sha256 list_;  ///< of the frames
  Digest digest_;
};

}  // namespace kinetic::bundle
