#include "bundle/format/pack.h"
#include "bundle/format/wire.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

namespace kinetic::bundle {

namespace {

/// Memory that is reused without being cleared.
class Scratch {
 public:
  char* Take(std::size_t size) {
    if (size > size_) {
      bytes_ = std::make_unique_for_overwrite<char[]>(size);
      size_ = size;
    }
    return bytes_.get();
  }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace

struct Compressor::Context {
  ZSTD_CCtx* zstd = ZSTD_createCCtx();
  Scratch scratch;
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { ZSTD_freeCCtx(zstd); }
};

Compressor::Compressor(int level) : context_(std::make_unique<Context>()) {
  ZSTD_CCtx_setParameter(context_->zstd, ZSTD_c_compressionLevel, level);
}
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor::~Compressor() = default;

std::string_view Compressor::Compress(std::string_view content) {
  const std::size_t bound = ZSTD_compressBound(content.size());
  char* scratch = context_->scratch.Take(bound);
  const std::size_t size =
      ZSTD_compress2(context_->zstd, scratch, bound, content.data(), content.size());
  return {scratch, ZSTD_isError(size) != 0 ? 0 : size};
}

Buffer Compressor::CompressToBuffer(std::string_view content) {
  if (content.size() < Buffer::kMappedBytes) return Buffer::Copy(Compress(content));
  Buffer frame(ZSTD_compressBound(content.size()));
  const std::size_t size =
      ZSTD_compress2(context_->zstd, frame.data(), frame.size(), content.data(), content.size());
  frame.Truncate(ZSTD_isError(size) != 0 ? 0 : size);
  return frame;
}

struct Decompressor::Context {
  ZSTD_DCtx* zstd = ZSTD_createDCtx();
  Scratch scratch;
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { ZSTD_freeDCtx(zstd); }
};

Decompressor::Decompressor() : context_(std::make_unique<Context>()) {}
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor::~Decompressor() = default;

Result<std::string_view> Decompressor::Decompress(std::string_view frame,
                                                  std::uint64_t content_bytes) {
  const auto header_bytes = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (header_bytes == ZSTD_CONTENTSIZE_ERROR || header_bytes == ZSTD_CONTENTSIZE_UNKNOWN) {
    return Fail(ErrorCode::kDataLoss, "not a zstd frame with a content size");
  }
  if (header_bytes != content_bytes) {
    return Fail(ErrorCode::kDataLoss,
                fmt::format("the zstd frame has {} bytes of content, expected {}", header_bytes,
                            content_bytes));
  }
  const std::size_t length = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (ZSTD_isError(length) != 0 || length != frame.size()) {
    return Fail(ErrorCode::kDataLoss, "the zstd frame has a wrong length");
  }
  char* content = context_->scratch.Take(content_bytes);
  const std::size_t size =
      ZSTD_decompressDCtx(context_->zstd, content, content_bytes, frame.data(), frame.size());
  if (ZSTD_isError(size) != 0 || size != content_bytes) {
    return Fail(ErrorCode::kDataLoss,
                fmt::format("the zstd frame is damaged ({})",
                            ZSTD_isError(size) != 0 ? ZSTD_getErrorName(size) : "truncated"));
  }
  return std::string_view(content, size);
}

std::string RawBlockHeader(std::size_t content_bytes, std::size_t block) {
  std::string header;
  if (block == 0) {
    PutU32(header, ZSTD_MAGICNUMBER);
    header += static_cast<char>(0xA0);  // single segment, four bytes of content size
    PutU32(header, static_cast<std::uint32_t>(content_bytes));
  }
  const std::size_t left = content_bytes - block * kRawBlockBytes;
  const std::size_t is_last = left <= kRawBlockBytes ? 1 : 0;
  const std::size_t word = std::min(left, kRawBlockBytes) << 3 | is_last;
  for (unsigned shift = 0; shift < 24; shift += 8) header += static_cast<char>(word >> shift);
  return header;
}

std::size_t RawFrameBytes(std::size_t content_bytes) {
  constexpr std::size_t kFrameHeaderBytes = 9;
  constexpr std::size_t kBlockHeaderBytes = 3;
  const std::size_t blocks = (content_bytes + kRawBlockBytes - 1) / kRawBlockBytes;
  return kFrameHeaderBytes + kBlockHeaderBytes * blocks + content_bytes;
}

std::string EncodeRawFrame(std::string_view content) {
  std::string frame;
  frame.reserve(RawFrameBytes(content.size()));
  for (std::size_t block = 0; block * kRawBlockBytes < content.size(); ++block) {
    frame += RawBlockHeader(content.size(), block);
    frame += content.substr(block * kRawBlockBytes, kRawBlockBytes);
  }
  return frame;
}

bool IsZero(std::string_view bytes) {
  return bytes.empty() ||
         (bytes[0] == '\0' && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace kinetic::bundle
