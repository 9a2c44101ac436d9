#pragma once

#include "kinetic/observer.h"

#include "output/style.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {

/// What a live display shows: the phases at work, each as a line, and the job that is followed.
/// Times are handed in, so that it can be tested without a clock.
class ProgressView {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit ProgressView(Style style) : style_(style) {}

  void Begin(Phase phase, std::string_view what, Time now);
  void Bytes(Phase phase, std::uint64_t done, std::uint64_t total, Time now);
  void Output(Phase phase, std::string_view line);
  /// Ends a phase.
  ///
  /// @returns  its last line, to stay on the screen; nothing for phases not worth one.
  std::optional<std::string> End(Phase phase, std::string_view detail, Time now, std::size_t width);
  void Follow(std::string_view what, Time now);

  /// The lines of now, each at most `width` columns; none when nothing is at work.
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
