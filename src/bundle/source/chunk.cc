#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "bundle/format/pack.h"
#include "bundle/source/file_reader.h"

#include <algorithm>
#include <array>
#include <string>

namespace kinetic::bundle {
namespace {

constexpr std::size_t kNormalChunkBytes = 2 << 20;
constexpr unsigned kBitsBelowNormal = 23;
constexpr unsigned kBitsAboveNormal = 19;

constexpr std::uint64_t kSamples = 8;
constexpr std::size_t kSampleBytes = 16 << 10;
constexpr std::size_t kIncompressibleBytes = 122'880;  // of 131,072

using Gear = std::array<std::uint64_t, 256>;

const Gear& GearTable() {
  static const Gear kGear = [] {
    Gear table;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const Digest digest = Sha256::Of(std::string("kinetic gear") + static_cast<char>(i));
      table[i] = 0;
      for (std::size_t k = 8; k-- > 0;) table[i] = table[i] << 8 | digest.bytes[k];
    }
    return table;
  }();
  return kGear;
}

}  // namespace

Result<bool> IsCompressible(std::uint64_t size_bytes, const ReadAt& read) {
  std::string samples(kSamples * kSampleBytes, '\0');
  for (std::uint64_t k = 0; k < kSamples; ++k) {
    const std::uint64_t offset = k * (size_bytes - kSampleBytes) / (kSamples - 1);
    KINETIC_RETURN_IF_ERROR(
        read(std::span(samples).subspan(k * kSampleBytes, kSampleBytes), offset));
  }
  return Compressor(1).Compress(samples).size() < kIncompressibleBytes;
}

std::size_t ChunkLength(std::string_view bytes) {
  const std::size_t end = std::min(bytes.size(), kMaxChunkBytes);
  if (end <= kMinChunkBytes) return end;
  const Gear& gear = GearTable();
  const std::size_t normal = std::min(end, kNormalChunkBytes);
  std::uint64_t hash = 0;
  std::size_t i = kMinChunkBytes;
  for (; i < normal; ++i) {
    hash = (hash << 1) + gear[static_cast<unsigned char>(bytes[i])];
    if (hash >> (64 - kBitsBelowNormal) == 0) return i + 1;
  }
  for (; i < end; ++i) {
    hash = (hash << 1) + gear[static_cast<unsigned char>(bytes[i])];
    if (hash >> (64 - kBitsAboveNormal) == 0) return i + 1;
  }
  return end;
}

}  // namespace kinetic::bundle
