#include "runner/chips.h"

#include "base/strings.h"

#include <fmt/format.h>

namespace kinetic::runner {

std::optional<Chips> ChipsOf(std::string_view text) {
  const std::size_t at = text.find('=');
  if (at == std::string_view::npos) return std::nullopt;
  const auto count = ParseInt(text.substr(at + 1));
  if (!count) return std::nullopt;
  const std::string_view resource = text.substr(0, at);
  if (resource == "google.com/tpu") return Chips{ChipKind::kTpu, *count};
  if (resource == "nvidia.com/gpu") return Chips{ChipKind::kGpu, *count};
  return std::nullopt;
}

std::string Text(const Chips& chips) {
  const std::string_view what = chips.kind == ChipKind::kTpu ? "TPU chip" : "GPU";
  return fmt::format("{} {}{}", chips.count, what, chips.count == 1 ? "" : "s");
}

}  // namespace kinetic::runner
