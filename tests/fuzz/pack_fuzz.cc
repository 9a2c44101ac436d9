#include "bundle/format/pack.h"
#include "support/pack_index.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// The input is a whole pack. Reads its index and every frame in it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinetic::bundle;
  const std::string_view pack(reinterpret_cast<const char*>(data), size);
  const auto frames = kinetic::test::ReadPackIndex(pack);
  if (!frames) return 0;
  Decompressor decompressor;
  for (const Frame& frame : *frames) {
    const auto content =
        decompressor.Decompress(pack.substr(frame.offset, frame.stored_bytes), frame.content_bytes);
    if (content && content->size() != frame.content_bytes) std::abort();
  }
  return 0;
}
