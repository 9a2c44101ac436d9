#include "kinetic/try.h"

#include "record/log/segment.h"

#include <zstd.h>

#include <vector>

namespace kinetic::record {
namespace {

constexpr int kLevel = 3;
constexpr std::size_t kMaxPlainBytes = kLogSegmentBytes + kLogRecordBytes + 64;
/// 8 MiB: larger than any segment.
constexpr int kWindowLog = 23;

Failure DamagedSeal(std::string_view problem) {
  return Fail(ErrorCode::kDataLoss, "sealed log segment: " + std::string(problem));
}

}  // namespace

std::string Seal(std::string_view plain) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string sealed(ZSTD_compressBound(plain.size()), '\0');
  // Compression into a buffer of this size cannot fail.
  const std::size_t size =
      ZSTD_compress2(context.get(), sealed.data(), sealed.size(), plain.data(), plain.size());
  sealed.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return sealed;
}

struct Unsealer::Context {
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> zstd{ZSTD_createDCtx(), &ZSTD_freeDCtx};
  std::vector<char> buffer = std::vector<char>(ZSTD_DStreamOutSize());
};

Unsealer::Unsealer() : context_(std::make_unique<Context>()) {
  ZSTD_DCtx_setParameter(context_->zstd.get(), ZSTD_d_windowLogMax, kWindowLog);
}

Unsealer::~Unsealer() = default;

Status Unsealer::Feed(std::string_view sealed,
                      const std::function<Status(std::string& plain)>& each) {
  ZSTD_inBuffer in = {sealed.data(), sealed.size(), 0};
  bool more = !sealed.empty();
  while (more) {
    ZSTD_outBuffer out = {context_->buffer.data(), context_->buffer.size(), 0};
    inside_ = true;
    const std::size_t left = ZSTD_decompressStream(context_->zstd.get(), &out, &in);
    if (ZSTD_isError(left) != 0) return DamagedSeal(ZSTD_getErrorName(left));
    if (out.pos > kMaxPlainBytes - plain_.size())
      return DamagedSeal("larger than the limit for a segment");
    plain_.append(context_->buffer.data(), out.pos);
    if (left == 0) {
      inside_ = false;
      ++segments_;
      KINETIC_RETURN_IF_ERROR(each(plain_));
      plain_.clear();
    }
    // If the output buffer is full, more output may follow although all input is consumed.
    more = in.pos < in.size || (left != 0 && out.pos == out.size);
  }
  return {};
}

}  // namespace kinetic::record
