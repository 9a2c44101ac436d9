#pragma once

#include "kinetic/metrics.h"
#include "kinetic/observer.h"

#include "output/metrics_line.h"
#include "output/plain_output.h"
#include "output/table.h"

#include <chrono>
#include <cstdint>
#include <memory>
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
  /// Ends the phases before kRun, because the job's output begins. Returns their final lines. Later
  /// reports of these phases are ignored.
  std::vector<std::string> EndBeforeRun(Time now, std::size_t width);
  void Follow(std::string_view what, Time now);
  /// Replaces the text of Follow.
  void Update(std::string_view what);
  /// Adds metrics of the followed job, which are shown before its text.
  void Add(const Metrics& numbers) { metrics_.Add(numbers); }
  /// Returns the final line of the metrics, which stays on the screen, or nullopt if there are none.
  std::optional<std::string> MetricsEnd(std::size_t width) const;

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
  std::vector<Phase> ended_early_;  ///< by EndBeforeRun
  std::string follow_;
  MetricsLine metrics_;
  Time followed_since_;
};

/// Terminal output. Progress is drawn below the printed text at most 15 times per second, and is
/// removed at the end.
class TerminalOutput : public PlainOutput {
 public:
  TerminalOutput(Console console, OutputOptions options);
  ~TerminalOutput() override;

  std::unique_ptr<Progress> StartProgress() override;
  void Resized() override;
  bool ShowInPlace(const Table& table) override;

 protected:
  void BeforeWrite() override { Clear(); }
  bool Tick() override;

 private:
  class LiveProgress;

  /// Returns the columns to draw in. The last column stays empty, because some terminals wrap
  /// there.
  std::size_t DrawColumns() const;
  void Clear();
  void Draw();

  std::optional<ProgressView> view_;
  std::size_t in_place_rows_ = 0;   ///< of the last ShowInPlace
  std::vector<std::size_t> drawn_;  ///< columns of each line on the screen
};

}  // namespace kinetic::cli
