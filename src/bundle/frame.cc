#include "bundle/frame.h"

#include "bundle/wire.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>

namespace kinetic::bundle {

namespace {

/// Memory that is used again and again, and not cleared in between.
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

std::string Compressor::Compress(std::string_view content) {
  const std::size_t bound = ZSTD_compressBound(content.size());
  char* scratch = context_->scratch.Take(bound);
  const std::size_t size =
      ZSTD_compress2(context_->zstd, scratch, bound, content.data(), content.size());
  return {scratch, ZSTD_isError(size) != 0 ? 0 : size};
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
  const auto says = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (says == ZSTD_CONTENTSIZE_ERROR || says == ZSTD_CONTENTSIZE_UNKNOWN) {
    return Fail(ErrorCode::kDataLoss, "no zstd frame with a content size");
  }
  if (says != content_bytes) {
    return Fail(ErrorCode::kDataLoss, fmt::format("a zstd frame of {} bytes of content where {} "
                                                  "were expected",
                                                  says, content_bytes));
  }
  const std::size_t length = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (ZSTD_isError(length) != 0 || length != frame.size()) {
    return Fail(ErrorCode::kDataLoss, "a zstd frame that does not end where it should");
  }
  char* content = context_->scratch.Take(content_bytes);
  const std::size_t size =
      ZSTD_decompressDCtx(context_->zstd, content, content_bytes, frame.data(), frame.size());
  if (ZSTD_isError(size) != 0 || size != content_bytes) {
    return Fail(ErrorCode::kDataLoss,
                fmt::format("a damaged zstd frame ({})",
                            ZSTD_isError(size) != 0 ? ZSTD_getErrorName(size) : "cut short"));
  }
  return std::string_view(content, size);
}

std::string StoreAsIs(std::string_view content) {
  constexpr std::size_t kBlockBytes = 128 << 10;
  constexpr std::size_t kHeaderBytes = 9;
  std::string frame;
  frame.reserve(kHeaderBytes + content.size() + 3 * (content.size() / kBlockBytes + 1));
  PutU32(frame, ZSTD_MAGICNUMBER);
  frame += static_cast<char>(0xA0);  // single segment, four bytes of content size
  PutU32(frame, static_cast<std::uint32_t>(content.size()));
  do {
    const std::size_t size = std::min(kBlockBytes, content.size());
    const bool last = size == content.size();
    const auto header = static_cast<std::uint32_t>(size << 3 | (last ? 1 : 0));
    for (int shift = 0; shift < 24; shift += 8) frame += static_cast<char>(header >> shift);
    frame += content.substr(0, size);
    content.remove_prefix(size);
  } while (!content.empty());
  return frame;
}

}  // namespace kinetic::bundle
