#include "output/plain_progress.h"

#include "output/format.h"

#include <fmt/format.h>

namespace kinetic::cli {
namespace {

bool CanTakeLong(Phase phase) {
  return phase == Phase::kBuild || phase == Phase::kQueue || phase == Phase::kProvision ||
         phase == Phase::kPull;
}

}  // namespace

void PlainProgress::OnPhaseBegin(Phase phase, std::string_view what) {
  {
    const std::lock_guard lock(mutex_);
    begun_.at(static_cast<std::size_t>(phase)) = std::chrono::steady_clock::now();
  }
  if (CanTakeLong(phase) && !what.empty())
    output_.Note(fmt::format("{}: {}", Name(phase), OneLine(what)));
}

void PlainProgress::OnPhaseEnd(Phase phase, std::string_view detail) {
  SteadyTime begun;
  {
    const std::lock_guard lock(mutex_);
    begun = begun_.at(static_cast<std::size_t>(phase));
  }
  if (phase == Phase::kRun || phase == Phase::kCollect) return;
  const std::string took =
      begun == SteadyTime()
          ? ""
          : fmt::format(" ({})", FormatDuration(std::chrono::steady_clock::now() - begun));
  output_.Note(
      fmt::format("{}: {}{}", Name(phase), detail.empty() ? "done" : OneLine(detail), took));
}

}  // namespace kinetic::cli
