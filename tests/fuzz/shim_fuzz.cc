#include "runner/program/shim_messages.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// Checks that arbitrary bytes in the control pipe cause no crash, and the same messages for any
/// split.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using kinetic::runner::ShimParser;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ShimParser whole;
  const auto at_once = whole.Feed(bytes);
  ShimParser pieces;
  std::size_t count = 0;
  bool failed = false;
  for (std::size_t at = 0; at < size && !failed; at += 7) {
    const auto some = pieces.Feed(bytes.substr(at, 7));
    failed = !some;
    if (some) count += some->size();
  }
  if (failed == at_once.has_value()) std::abort();
  if (at_once && at_once->size() != count) std::abort();
  return 0;
}
