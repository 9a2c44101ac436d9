#pragma once

#include "output/base.h"
#include "output/console.h"
#include "output/metrics_line.h"
#include "output/text.h"
#include "output/ticker.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::cli {

struct OutputOptions {
  Style out;  ///< the style of stdout
  Style err;
  bool progress = true;
  bool notes = true;  ///< false: --quiet
};

/// Line-based output for a pipe, a file or a CI log.
class PlainOutput : public Output {
 public:
  PlainOutput(Console console, OutputOptions options);
  ~PlainOutput() override;

  void Line(const StyledLine& line) override;
  void ExactLine(std::string_view text) override;
  void Show(const Table& table) override;
  bool IsStyled() const override { return options_.out.color; }
  std::size_t Columns() const override;
  void Bytes(std::string_view bytes) override;
  void Json(std::string_view json) override;
  void Document(const Value& value) override;
  void JobOutput(Stream stream, std::string_view bytes, bool raw) override;
  void Note(std::string_view text) override;
  void Warn(std::string_view text) override;
  void ShowError(const Error& error, int exit_code) override;
  void Explain(std::string_view text) override;
  std::optional<bool> Confirm(std::string_view question, const std::stop_token& stop) override;
  std::unique_ptr<Progress> StartProgress() override;
  Status Flush() override;
  bool IsStdoutClosed() override;
  void CloseStdout() override;

 protected:
  /// Called before and after each write, with the lock held.
  virtual void BeforeWrite() {}
  virtual void AfterWrite() {}
  /// Called by the ticker with the lock held. Returns whether to call it again.
  virtual bool Tick() { return false; }

  void ToOut(std::string_view bytes);
  void ToErr(std::string_view bytes);
  /// Writes what the job's output left incomplete.
  void FinishJobOutput();
  /// Writes a piece of the answer. On a terminal, it starts below an unfinished line of stderr.
  void ResultToOut(std::string_view bytes);
  /// Returns whether the next output starts a line of the terminal or file.
  bool AtLineStart() const;
  /// Breaks the lines of a message where the terminal ends.
  std::string Fitted(std::string_view lines) const;
  /// Writes whole lines to stderr, below an unfinished line of the job.
  void LinesToErr(std::string_view lines);

  const OutputOptions options_;
  std::mutex mutex_;
  Console console_;
  bool out_written_ = false;
  bool out_at_line_start_ = true;
  bool err_at_line_start_ = true;
  JobTextFilter out_filter_;  ///< for a terminal
  JobTextFilter err_filter_;
  Ticker ticker_;  // last: its thread uses the members above
};

/// Reports warnings only: the progress of --json and --quiet.
class WarningsOnly : public Progress {
 public:
  explicit WarningsOnly(Output& output) : output_(output) {}
  void OnWarning(std::string_view message) override { output_.Warn(message); }

 private:
  Output& output_;
};

/// Progress as lines on stderr: one line when a phase ends, and for long phases one line for each
/// thing that they wait for or download.
class PlainProgress : public Progress {
 public:
  explicit PlainProgress(Output& output) : output_(output) {}
  ~PlainProgress() override;
  PlainProgress(const PlainProgress&) = delete;
  PlainProgress& operator=(const PlainProgress&) = delete;

  void OnPhaseBegin(Phase phase, std::string_view what) override;
  void OnPhaseEnd(Phase phase, std::string_view detail) override;
  void OnBytes(Phase phase, std::uint64_t done, std::uint64_t total) override;
  void OnWarning(std::string_view message) override { output_.Warn(message); }
  void OnJobOutput() override;
  void Update(std::string_view progress, std::string_view what) override;
  void OnMetrics(const Metrics& numbers) override;

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kUpdateInterval{5};
  static constexpr std::size_t kPhases = static_cast<std::size_t>(Phase::kCollect) + 1;

  void End(Phase phase, std::string_view detail, SteadyTime begun);

  Output& output_;
  std::mutex mutex_;
  std::array<SteadyTime, kPhases> begun_{};
  std::string download_;  ///< of kPull, not yet shown because it has just begun
  SteadyTime download_begun_;
  std::array<bool, kPhases> ended_early_{};  ///< by OnJobOutput
  std::string updated_;                      ///< the text of the last Update that was printed
  MetricsLine metrics_;
  bool has_new_metrics_ = false;  ///< that were not printed
  SteadyTime next_metrics_;
  SteadyTime next_update_ = std::chrono::steady_clock::now() + kUpdateInterval;
};

}  // namespace kinetic::cli
