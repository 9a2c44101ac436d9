#pragma once

#include "kinetic/observer.h"

#include "output/table.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {

/// The content of a live progress display: one line for each active phase, and the followed job.
/// Times are parameters, so that tests need no clock.
class ProgressView {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit ProgressView(Style style) : style_(style) {}

  void Begin(Phase phase, std::string_view what, Time now);
  void Bytes(Phase phase, std::uint64_t done, std::uint64_t total, Time now);
  void Output(Phase phase, std::string_view line);
  /// Ends a phase.
  ///
  /// @returns  the phase's final line, which stays on the screen, or nullopt if the phase needs
  ///          none.
  std::optional<std::string> End(Phase phase, std::string_view detail, Time now, std::size_t width);
  void Follow(std::string_view what, Time now);

  /// Returns the current lines, each at most `width` columns. Empty if no phase is active.
  std::vector<std::string> Lines(Time now, std::size_t width) const;

 private:
  struct Work {
    Phase phase;
    std::string what;
    std::string last_line;  ///< of an installer
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    Time begun;
  };
  Work* Find(Phase phase);
  std::string Line(const Work& work, Time now, std::size_t width) const;
  std::string Spinner(Time now) const;

  Style style_;
  std::vector<Work> work_;
  std::string follow_;
  Time followed_since_;
};

}  // namespace kinetic::cli
