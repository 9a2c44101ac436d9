#include "output/terminal_output.h"

#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::cli {
namespace {

constexpr std::size_t kDefaultColumns = 80;

ProgressView::Time Now() { return std::chrono::steady_clock::now(); }

}  // namespace

/// Passes events to the view, which the output draws.
class TerminalOutput::LiveProgress : public Progress {
 public:
  explicit LiveProgress(TerminalOutput& output) : output_(output) {
    const std::lock_guard lock(output_.mutex_);
    output_.view_.emplace(output_.options_.err);
    output_.ticker_.Wake();
  }
  ~LiveProgress() override {
    const std::lock_guard lock(output_.mutex_);
    output_.Clear();
    if (const auto line = output_.view_->MetricsEnd(output_.DrawColumns()))
      output_.LinesToErr(*line + "\n");
    output_.view_.reset();
    output_.console_.Flush();
  }
  LiveProgress(const LiveProgress&) = delete;
  LiveProgress& operator=(const LiveProgress&) = delete;

  void OnPhaseBegin(Phase phase, std::string_view what) override {
    const std::lock_guard lock(output_.mutex_);
    output_.view_->Begin(phase, what, Now());
  }
  void OnPhaseEnd(Phase phase, std::string_view detail) override {
    const std::lock_guard lock(output_.mutex_);
    if (const auto line = output_.view_->End(phase, detail, Now(), output_.DrawColumns()))
      output_.LinesToErr(*line + "\n");
  }
  void OnJobOutput() override {
    const std::lock_guard lock(output_.mutex_);
    for (const std::string& line : output_.view_->EndBeforeRun(Now(), output_.DrawColumns()))
      output_.LinesToErr(line + "\n");
  }
  void OnBytes(Phase phase, std::uint64_t done, std::uint64_t total) override {
    const std::lock_guard lock(output_.mutex_);
    output_.view_->Bytes(phase, done, total, Now());
  }
  void OnOutput(Phase phase, std::string_view line) override {
    const std::lock_guard lock(output_.mutex_);
    output_.view_->Output(phase, line);
  }
  void OnWarning(std::string_view message) override { output_.Warn(message); }
  void Follow(std::string_view what, std::chrono::nanoseconds elapsed) override {
    const std::lock_guard lock(output_.mutex_);
    output_.view_->Follow(what, Now() - elapsed);
  }
  void Update(std::string_view progress, std::string_view what) override {
    const std::lock_guard lock(output_.mutex_);
    output_.view_->Update(std::string(progress).append("  ").append(what));
  }
  void OnMetrics(const Metrics& numbers) override {
    const std::lock_guard lock(output_.mutex_);
    output_.view_->Add(numbers);
  }

 private:
  TerminalOutput& output_;
};

TerminalOutput::TerminalOutput(Console console, OutputOptions options)
    : PlainOutput(std::move(console), options) {}

TerminalOutput::~TerminalOutput() { ticker_.Stop(); }

std::unique_ptr<Progress> TerminalOutput::StartProgress() {
  if (!options_.progress) return PlainOutput::StartProgress();
  return std::make_unique<LiveProgress>(*this);
}

void TerminalOutput::Resized() {
  const std::lock_guard lock(mutex_);
  Clear();
  console_.Flush();
}

bool TerminalOutput::ShowInPlace(const Table& table) {
  const std::lock_guard lock(mutex_);
  if (!console_.OutIsTerminal()) return false;
  constexpr std::size_t kOtherRows = 2;  // the headings and the cursor's line
  Table shown = table;
  const std::size_t height = console_.Height();
  if (height > kOtherRows && shown.rows.size() > height - kOtherRows)
    shown.rows.resize(height - kOtherRows, {});
  const std::string up = in_place_rows_ == 0 ? "" : fmt::format("\r\x1b[{}A\x1b[J", in_place_rows_);
  ResultToOut(up + FormatTable(shown, options_.out, console_.Width()));
  in_place_rows_ = shown.rows.size() + 1;
  console_.Flush();
  return true;
}

bool TerminalOutput::Tick() {
  if (!view_) return false;
  Clear();
  // `kinetic run | tee log` prints lines of its own, which the next Clear would erase.
  if (!out_written_ || !console_.OutIsPipe()) Draw();
  return true;
}

std::size_t TerminalOutput::DrawColumns() const {
  const std::size_t width = console_.Width();
  return (width == 0 ? kDefaultColumns : width) - 1;
}

void TerminalOutput::Clear() {
  if (drawn_.empty()) return;
  // A terminal that was made narrower has wrapped the lines.
  const std::size_t columns = DrawColumns() + 1;
  std::size_t rows = 0;
  for (const std::size_t width : drawn_)
    rows += std::max<std::size_t>(1, (width + columns - 1) / columns);
  drawn_.clear();
  console_.Err(fmt::format("\r\x1b[{}A\x1b[J", rows));
}

void TerminalOutput::Draw() {
  // An unfinished line belongs to the job. Nothing is drawn after it.
  if (!AtLineStart()) return;
  std::string text;
  for (const std::string& line : view_->Lines(Now(), DrawColumns())) {
    text += line + "\n";
    drawn_.push_back(VisibleWidth(line));
  }
  console_.Err(text);
}

}  // namespace kinetic::cli
