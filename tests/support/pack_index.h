#pragma once

#include "bundle/format/pack.h"
#include "bundle/format/wire.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kinetic::test {

/// Reads the index of a whole pack as described in docs/reference/store.md. kinetic itself reads
/// the frames from the tree. Returns nullopt if the bytes are not a pack.
inline std::optional<std::vector<bundle::Frame>> ReadPackIndex(std::string_view pack) {
  constexpr std::size_t kHeaderBytes = 8;
  constexpr std::size_t kTrailerBytes = 8;
  if (pack.size() < kHeaderBytes + kTrailerBytes || !pack.ends_with("KPE1")) return std::nullopt;
  bundle::WireReader trailer(pack.substr(pack.size() - kTrailerBytes), "end of pack index");
  const std::uint32_t total = trailer.U32();
  if (total > pack.size() || total < kHeaderBytes + kTrailerBytes) return std::nullopt;
  const std::string_view index = pack.substr(pack.size() - total, total - kTrailerBytes);
  bundle::WireReader reader(index, "pack index");
  if (reader.U32() != 0x184D2A5B || reader.U32() != total - kHeaderBytes) return std::nullopt;
  if (reader.Bytes(4) != "KPI1") return std::nullopt;
  std::vector<bundle::Frame> frames(reader.Number(reader.left() / 2, "number of frames"));
  std::uint64_t offset = 0;
  for (bundle::Frame& frame : frames) {
    frame.offset = offset;
    frame.stored_bytes = static_cast<std::uint32_t>(reader.Number(0xFFFFFFFF, "stored frame size"));
    frame.content_bytes =
        static_cast<std::uint32_t>(reader.Number(bundle::kMaxFrameBytes, "frame size"));
    offset += frame.stored_bytes;
  }
  const bool is_whole = reader.left() == 0 && offset + total == pack.size();
  if (!is_whole || !reader.status()) return std::nullopt;
  return frames;
}

}  // namespace kinetic::test
