#include "kinetic/try.h"

#include "oci/layer/byte_sink.h"

#include <fmt/format.h>
#include <zstd.h>

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace kinetic::oci {
namespace {

constexpr std::size_t kBufferBytes = 128 << 10;
constexpr int kZstdLevel = 6;  // higher levels take ten times as long to save 2 %
constexpr int kGzipLevel = 9;

Failure OutOfMemory() { return Fail(ErrorCode::kResourceExhausted, "image layer: out of memory"); }

class ZstdCompressor final : public Compressor {
 public:
  explicit ZstdCompressor(ByteSink sink) : sink_(std::move(sink)), context_(ZSTD_createCCtx()) {}
  ~ZstdCompressor() override { ZSTD_freeCCtx(context_); }
  ZstdCompressor(const ZstdCompressor&) = delete;
  ZstdCompressor& operator=(const ZstdCompressor&) = delete;

  bool Start() {
    return context_ != nullptr &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kZstdLevel));
  }
  Status Write(std::string_view bytes) override { return Feed(bytes, ZSTD_e_continue); }
  Status Finish() override { return Feed({}, ZSTD_e_end); }

 private:
  Status Feed(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    while (true) {
      ZSTD_outBuffer output{buffer_.data(), buffer_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context_, &output, &input, directive);
      if (ZSTD_isError(left)) return OutOfMemory();
      if (output.pos > 0)
        KINETIC_RETURN_IF_ERROR(sink_(std::string_view(buffer_).substr(0, output.pos)));
      if (directive == ZSTD_e_end ? left == 0 : input.pos == input.size) return {};
    }
  }

  ByteSink sink_;
  ZSTD_CCtx* context_;
  std::string buffer_ = std::string(kBufferBytes, '\0');
};

class GzipCompressor final : public Compressor {
 public:
  explicit GzipCompressor(ByteSink sink) : sink_(std::move(sink)) {}
  ~GzipCompressor() override { deflateEnd(&stream_); }
  GzipCompressor(const GzipCompressor&) = delete;
  GzipCompressor& operator=(const GzipCompressor&) = delete;

  bool Start() {
    constexpr int kWithGzipHeader = 16;
    header_.os = 255;  // unknown, for reproducible output
    return deflateInit2(&stream_, kGzipLevel, Z_DEFLATED, MAX_WBITS + kWithGzipHeader,
                        MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK &&
           deflateSetHeader(&stream_, &header_) == Z_OK;
  }
  Status Write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto piece = bytes.substr(0, std::numeric_limits<uInt>::max());
      KINETIC_RETURN_IF_ERROR(Feed(piece, Z_NO_FLUSH));
      bytes.remove_prefix(piece.size());
    }
    return {};
  }
  Status Finish() override { return Feed({}, Z_FINISH); }

 private:
  Status Feed(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      if (deflate(&stream_, flush) == Z_STREAM_ERROR) return OutOfMemory();
      const std::size_t made = buffer_.size() - stream_.avail_out;
      if (made > 0) KINETIC_RETURN_IF_ERROR(sink_(std::string_view(buffer_).substr(0, made)));
    } while (stream_.avail_out == 0);
    return {};
  }

  ByteSink sink_;
  z_stream stream_{};
  gz_header header_{};
  std::string buffer_ = std::string(kBufferBytes, '\0');
};

template <typename Kind>
Result<std::unique_ptr<Compressor>> MakeStarted(ByteSink sink) {
  auto compressor = std::make_unique<Kind>(std::move(sink));
  if (!compressor->Start()) return OutOfMemory();
  return compressor;
}

}  // namespace

Result<std::unique_ptr<Compressor>> MakeCompressor(ImageCompression compression, ByteSink sink) {
  if (compression == ImageCompression::kGzip) return MakeStarted<GzipCompressor>(std::move(sink));
  return MakeStarted<ZstdCompressor>(std::move(sink));
}

}  // namespace kinetic::oci
