#include "base/try.h"
#include "record/log_segment.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace kinetic::record {
namespace {

constexpr int kLevel = 3;
constexpr std::size_t kPlainBytes = kLogSegmentBytes + kLogRecordBytes + 64;
/// 8 MiB: more than any segment is long.
constexpr int kWindowLog = 23;

Failure Damaged(std::string_view problem) {
  return Fail(ErrorCode::kDataLoss, "sealed log segment: " + std::string(problem));
}

}  // namespace

std::string Seal(std::string_view plain) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string sealed(ZSTD_compressBound(plain.size()), '\0');
  // Into a buffer of this size compression cannot fail.
  const std::size_t size =
      ZSTD_compress2(context.get(), sealed.data(), sealed.size(), plain.data(), plain.size());
  sealed.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return sealed;
}

Result<std::string> Unseal(std::string_view sealed) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                     &ZSTD_freeDCtx);
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kWindowLog);
  ZSTD_inBuffer in = {sealed.data(), sealed.size(), 0};
  std::string plain;
  std::vector<char> buffer(ZSTD_DStreamOutSize());
  for (;;) {
    ZSTD_outBuffer out = {buffer.data(), buffer.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(left) != 0) return Damaged(ZSTD_getErrorName(left));
    if (out.pos > kPlainBytes - plain.size()) return Damaged("longer than a segment can be");
    plain.append(buffer.data(), out.pos);
    if (left == 0) break;
    if (in.pos == in.size && out.pos < out.size) return Damaged("ends too early");
  }
  if (in.pos != in.size) return Damaged("something follows its end");
  return plain;
}

}  // namespace kinetic::record
