#include "kinetic/accelerator.h"

#include <cstdint>
#include <cstdlib>

/// Checks that a name is rejected, or that its canonical name has the same meaning.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto accelerator = kinetic::ParseAccelerator({reinterpret_cast<const char*>(data), size});
  if (!accelerator) return 0;
  const auto again = kinetic::ParseAccelerator(accelerator->name);
  if (!again || *again != *accelerator) std::abort();
  return 0;
}
