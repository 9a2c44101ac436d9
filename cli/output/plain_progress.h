#pragma once

#include "output/base.h"

#include <array>
#include <chrono>
#include <mutex>
#include <string>

namespace kinetic::cli {

/// Progress as lines on stderr: one line when a phase ends, and for long phases one line for each
/// thing that they wait for.
class PlainProgress : public Progress {
 public:
  explicit PlainProgress(Output& output) : output_(output) {}

  void OnPhaseBegin(Phase phase, std::string_view what) override;
  void OnPhaseEnd(Phase phase, std::string_view detail) override;
  void OnWarning(std::string_view message) override { output_.Warn(message); }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kPhases = static_cast<std::size_t>(Phase::kCollect) + 1;

  Output& output_;
  std::mutex mutex_;
  std::array<SteadyTime, kPhases> begun_{};
};

}  // namespace kinetic::cli
