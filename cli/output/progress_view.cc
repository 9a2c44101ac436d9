#include "output/phase_name.h"
#include "output/terminal_output.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kinetic::cli {
namespace {

constexpr std::size_t kNameColumns = 9;  // "provision"
constexpr std::size_t kBarColumns = 20;
constexpr auto kSpinnerStep = std::chrono::milliseconds(100);
constexpr auto kMinRateInterval = std::chrono::milliseconds(500);  // earlier rates fluctuate

std::string Bar(std::uint64_t done, std::uint64_t total, bool unicode) {
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarColumns));
  std::string bar;
  for (std::size_t i = 0; i < kBarColumns; ++i)
    bar += i < filled ? (unicode ? "━" : "#") : (unicode ? "─" : "-");
  return bar;
}

std::string Amount(std::uint64_t done, std::uint64_t total, std::chrono::nanoseconds elapsed,
                   bool unicode) {
  std::string text;
  if (total > 0) text = Bar(done, total, unicode) + " ";
  text += FormatBytes(done);
  if (total > 0) text += " of " + FormatBytes(total);
  if (elapsed >= kMinRateInterval) {
    const double elapsed_seconds = std::chrono::duration<double>(elapsed).count();
    const auto rate = static_cast<std::uint64_t>(static_cast<double>(done) / elapsed_seconds);
    text += fmt::format(", {}/s", FormatBytes(rate));
    const std::uint64_t left = rate > 0 && done < total ? (total - done) / rate : 0;
    if (left > 0) text += fmt::format(", {} left", FormatDuration(std::chrono::seconds(left)));
  }
  return text;
}

}  // namespace

ProgressView::Work* ProgressView::Find(Phase phase) {
  const auto found = std::find_if(work_.begin(), work_.end(),
                                  [&](const Work& work) { return work.phase == phase; });
  return found == work_.end() ? nullptr : &*found;
}

void ProgressView::Begin(Phase phase, std::string_view what, Time now) {
  // The status of a running job may arrive after its first output.
  if (std::ranges::find(ended_early_, phase) != ended_early_.end()) return;
  Work* work = Find(phase);
  if (work == nullptr) {
    work_.push_back({.phase = phase, .begun = now});
    work = &work_.back();
  }
  work->what = OneLine(what);
}

void ProgressView::Bytes(Phase phase, std::uint64_t done, std::uint64_t total, Time now) {
  Work* work = Find(phase);
  if (work == nullptr) {
    Begin(phase, "", now);
    work = Find(phase);
  }
  if (work == nullptr) return;
  // Threads report out of order. The display never moves backwards.
  work->done = std::max(work->done, done);
  work->total = std::max(work->total, total);
}

void ProgressView::Output(Phase phase, std::string_view line) {
  std::string text = OneLine(line);
  if (Work* work = Find(phase); work != nullptr && !text.empty()) work->last_line = std::move(text);
}

std::optional<std::string> ProgressView::End(Phase phase, std::string_view detail, Time now,
                                             std::size_t width) {
  if (std::erase(ended_early_, phase) > 0) return std::nullopt;
  Work* work = Find(phase);
  const auto elapsed = work == nullptr ? std::chrono::nanoseconds(0) : now - work->begun;
  if (work != nullptr) work_.erase(work_.begin() + (work - work_.data()));
  // The job's output and value already show these two phases.
  if (phase == Phase::kRun || phase == Phase::kCollect) return std::nullopt;
  if (detail.empty() && elapsed < kMinShownDuration) return std::nullopt;
  const std::string name = fmt::format("{:<{}}", PhaseName(phase), kNameColumns);
  const std::string took = "  " + FormatDuration(elapsed);
  std::string text = OneLine(detail);
  const std::size_t used = 2 + kNameColumns + 2 + DisplayWidth(took);
  if (width > used) text = Shortened(text, width - used, style_.unicode);
  return style_.Paint(Role::kGood, style_.unicode ? "✓" : "+") + " " + name + "  " + text +
         style_.Paint(Role::kDim, took);
}

std::vector<std::string> ProgressView::EndBeforeRun(Time now, std::size_t width) {
  std::vector<Phase> before;
  for (const Work& work : work_)
    if (work.phase < Phase::kRun) before.push_back(work.phase);
  std::vector<std::string> lines;
  for (const Phase phase : before)
    if (auto line = End(phase, {}, now, width)) lines.push_back(*std::move(line));
  ended_early_.insert(ended_early_.end(), before.begin(), before.end());
  return lines;
}

void ProgressView::Follow(std::string_view what, Time now) {
  follow_ = OneLine(what);
  followed_since_ = now;
}

void ProgressView::Update(std::string_view what) { follow_ = OneLine(what); }

std::optional<std::string> ProgressView::MetricsEnd(std::size_t width) const {
  if (metrics_.IsEmpty()) return std::nullopt;
  const std::string name = fmt::format("{:<{}}", PhaseName(Phase::kRun), kNameColumns);
  const std::size_t used = 2 + kNameColumns + 2;
  // Without a mark, which would look like the end of a successful phase.
  return "  " + name + "  " + metrics_.Text(std::max(width, used + 1) - used, style_.unicode);
}

std::string ProgressView::Spinner(Time now) const {
  static constexpr std::array kDots = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
  static constexpr std::array kLines = {"|", "/", "-", "\\"};
  const auto step = static_cast<std::size_t>(now.time_since_epoch() / kSpinnerStep);
  return style_.Paint(Role::kHint, style_.unicode ? kDots.at(step % kDots.size())
                                                  : kLines.at(step % kLines.size()));
}

std::string ProgressView::Line(const Work& work, Time now, std::size_t width) const {
  const std::string name = fmt::format("{:<{}}", PhaseName(work.phase), kNameColumns);
  const std::string took = "  " + FormatDuration(now - work.begun);
  std::string text = work.what;
  if (work.done > 0 || work.total > 0)
    text = Amount(work.done, work.total, now - work.begun, style_.unicode);
  else if (!work.last_line.empty())
    text = work.last_line;
  const std::size_t used = 2 + kNameColumns + 2 + DisplayWidth(took);
  text = width > used ? Shortened(text, width - used, style_.unicode) : "";
  return Spinner(now) + " " + name + "  " + text + style_.Paint(Role::kDim, took);
}

std::vector<std::string> ProgressView::Lines(Time now, std::size_t width) const {
  std::vector<std::string> lines;
  for (const Work& work : work_)
    if (follow_.empty() || work.phase != Phase::kRun) lines.push_back(Line(work, now, width));
  if (follow_.empty()) return lines;
  const std::string took = FormatDuration(now - followed_since_);
  const std::size_t used = 2 + 2 + DisplayWidth(took);
  std::string text = metrics_.Text(width / 2, style_.unicode);
  if (!text.empty()) text += "  ";
  text = width > used ? Shortened(text + follow_, width - used, style_.unicode) : "";
  lines.push_back(Spinner(now) + " " + style_.Paint(Role::kDim, took + "  " + text));
  return lines;
}

}  // namespace kinetic::cli
