#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "bundle/format/buffer.h"
#include "bundle/format/tree.h"
#include "store/object_store.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Packs and their zstd frames: docs/reference/store.md, "Packs".

namespace kinetic::bundle {

/// The maximum content of a frame.
inline constexpr std::uint32_t kMaxFrameBytes = 8U << 20;

/// Compresses frames with one context.
///
/// @threads  one thread at a time.
class Compressor {
 public:
  explicit Compressor(int level);
  Compressor(Compressor&&) noexcept;
  ~Compressor();

  /// Returns one frame, with content size and without checksum. It is valid until the next call.
  std::string_view Compress(std::string_view content);

  /// Returns the frame in a buffer of its own.
  Buffer CompressToBuffer(std::string_view content);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Decompresses frames with one context.
///
/// @threads  one thread at a time.
class Decompressor {
 public:
  Decompressor();
  Decompressor(Decompressor&&) noexcept;
  ~Decompressor();

  /// Returns the content of exactly one frame with `content_bytes` of content, valid until the next
  /// call. Fails before it allocates memory if the frame's header has another size.
  ///
  /// @errors  kDataLoss.
  Result<std::string_view> Decompress(std::string_view frame, std::uint64_t content_bytes);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// The parts of a frame of raw blocks: the size of a block, the header before block `block`, and
/// the size of the whole frame.
inline constexpr std::size_t kRawBlockBytes = 128 << 10;
std::string RawBlockHeader(std::size_t content_bytes, std::size_t block);
std::size_t RawFrameBytes(std::size_t content_bytes);

/// Returns a frame of raw blocks with `content`, which is smaller than 4 GiB.
std::string EncodeRawFrame(std::string_view content);

/// Returns whether all bytes are zero.
bool IsZero(std::string_view bytes);

/// Encodes the index of a pack: the skippable frame at its end.
std::string EncodePackIndex(std::span<const Frame> frames);

/// Decodes the index of a pack.
///
/// @param tail        the last bytes of the object, including the whole index.
/// @param pack_bytes  the size of the object.
/// @errors            kDataLoss, with the offset; kFailedPrecondition for a newer format.
Result<std::vector<Frame>> DecodePackIndex(std::string_view tail, std::uint64_t pack_bytes);

/// A pack in memory: its frames, followed by the index.
///
/// @threads  one thread at a time.
class Pack final : public store::Source {
 public:
  /// Appends a compressed frame with the given sha256. Returns its number.
  std::uint32_t Add(Buffer frame, const Digest& digest, std::uint32_t content_bytes);
  /// Appends a frame of raw blocks. `digest` is the sha256 of `content`.
  std::uint32_t AddRaw(Buffer content, const Digest& digest);
  /// Appends the index. No frames can be added afterwards.
  void Close();
  /// Returns the name of the closed pack.
  const Digest& digest() const { return digest_; }

  const std::vector<Frame>& frames() const { return frames_; }
  std::uint64_t size_bytes() const override { return size_bytes_; }
  Status Rewind() override;
  Result<std::string_view> Next() override;
  std::string identity() const override { return digest_.Hex(); }

 private:
  struct Piece {
    Buffer bytes;
    bool raw = false;  ///< `bytes` is content; Next adds the headers
  };
  std::uint32_t Append(Piece piece, const Digest& digest, std::size_t stored_bytes,
                       std::size_t content_bytes);
  std::string_view NextRawPart(std::string_view content);

  std::vector<Piece> pieces_;
  std::vector<Frame> frames_;
  std::uint64_t size_bytes_ = 0;
  std::size_t next_ = 0;          ///< piece
  std::size_t raw_position_ = 0;  ///< twice the block number, plus one after its header
  std::string header_;
  Sha256 list_hash_;  ///< of the frames
  Digest digest_;
};

}  // namespace kinetic::bundle
