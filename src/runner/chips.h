#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::runner {

enum class ChipKind : std::uint8_t { kTpu, kGpu };

/// Accelerators that a job asked for, of its container.
struct Chips {
  ChipKind kind = ChipKind::kTpu;
  std::int64_t count = 0;
};

/// @param text  as pod::kChipsVariable says it: "google.com/tpu=4".
/// @returns  nothing for accelerators of another kind.
std::optional<Chips> ChipsOf(std::string_view text);

/// "4 TPU chips", "1 GPU"
std::string Text(const Chips& chips);

}  // namespace kinetic::runner
