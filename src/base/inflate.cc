#include "base/inflate.h"

#include <memory>

#include <isa-l/igzip_lib.h>

namespace kinetic {

std::optional<std::string> InflateStart(std::string_view compressed, std::size_t max_bytes) {
  const auto state = std::make_unique<inflate_state>();  // 80 KiB
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_ZLIB;
  std::string input(compressed);  // the library takes a pointer to mutable bytes
  std::string output(max_bytes, '\0');
  state->next_in = reinterpret_cast<std::uint8_t*>(input.data());
  state->avail_in = static_cast<std::uint32_t>(input.size());
  state->next_out = reinterpret_cast<std::uint8_t*>(output.data());
  state->avail_out = static_cast<std::uint32_t>(output.size());
  if (isal_inflate(state.get()) != ISAL_DECOMP_OK) return std::nullopt;
  if (state->block_state != ISAL_BLOCK_FINISH && state->avail_out > 0) return std::nullopt;
  output.resize(output.size() - state->avail_out);
  return output;
}

}  // namespace kinetic
