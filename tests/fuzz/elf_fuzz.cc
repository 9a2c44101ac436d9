#include "oci/inspect/elf.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// Checks that stripping an arbitrary ELF file does not change its description.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinetic::oci;
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const auto elf = ReadElf(file, "input");
  const auto stripped = StripElf(file, "input");
  if (elf.has_value() != stripped.has_value()) std::abort();
  if (!elf) return 0;
  if (elf->loaded_bytes > size || stripped->size() != elf->loaded_bytes) std::abort();
  const auto again = ReadElf(*stripped, "stripped");
  if (again && (again->machine != elf->machine || again->loaded_bytes > elf->loaded_bytes))
    std::abort();
  return 0;
}
