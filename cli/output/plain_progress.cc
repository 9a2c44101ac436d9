#include "output/phase_name.h"
#include "output/plain_output.h"
#include "output/text.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace kinetic::cli {
namespace {

/// Returns whether users wait for the phase and need the reason, which is shown when it changes. A
/// job can wait for its store in any phase, for example while its disk is full.
bool NeedsReason(Phase phase, std::string_view reason) {
  return reason.starts_with("waiting for ") || phase == Phase::kBuild || phase == Phase::kQueue ||
         phase == Phase::kProvision || phase == Phase::kPull;
}

}  // namespace

void PlainProgress::OnPhaseBegin(Phase phase, std::string_view what) {
  {
    const std::lock_guard lock(mutex_);
    SteadyTime& begun = begun_.at(static_cast<std::size_t>(phase));
    // The status of a running job may arrive after its first output.
    if (ended_early_.at(static_cast<std::size_t>(phase))) return;
    // A phase that begins again with new details, such as a shorter queue, keeps its start time.
    const SteadyTime now = std::chrono::steady_clock::now();
    if (begun == SteadyTime()) begun = now;
    download_.clear();
    if (phase == Phase::kPull && what.starts_with("fetching ")) {
      download_ = what;
      download_begun_ = now;
      return;
    }
  }
  if (!NeedsReason(phase, what) || what.empty()) return;
  output_.Note(fmt::format("{}: {}", PhaseName(phase), OneLine(what)));
}

void PlainProgress::OnPhaseEnd(Phase phase, std::string_view detail) {
  SteadyTime begun;
  {
    const std::lock_guard lock(mutex_);
    begun = std::exchange(begun_.at(static_cast<std::size_t>(phase)), {});
    if (std::exchange(ended_early_.at(static_cast<std::size_t>(phase)), false)) return;
  }
  End(phase, detail, begun == SteadyTime() ? std::chrono::steady_clock::now() : begun);
}

/// Shows a download that takes long. Most take no time, on the local target almost all.
void PlainProgress::OnBytes(Phase phase, std::uint64_t /*done*/, std::uint64_t /*total*/) {
  std::string download;
  {
    const std::lock_guard lock(mutex_);
    const auto took = std::chrono::steady_clock::now() - download_begun_;
    if (phase != Phase::kPull || download_.empty() || took < kMinShownDuration) return;
    download = std::exchange(download_, {});
  }
  output_.Note(fmt::format("{}: {}", PhaseName(phase), OneLine(download)));
}

void PlainProgress::OnJobOutput() {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Phase::kRun); ++i) {
    SteadyTime begun;
    {
      const std::lock_guard lock(mutex_);
      begun = std::exchange(begun_.at(i), {});
      if (begun == SteadyTime()) continue;
      ended_early_.at(i) = true;
    }
    End(static_cast<Phase>(i), {}, begun);
  }
}

void PlainProgress::Update(std::string_view progress, std::string_view /*what*/) {
  std::string text = OneLine(progress);
  {
    const std::lock_guard lock(mutex_);
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now < next_update_ || text == updated_) return;
    next_update_ = now + kUpdateInterval;
    updated_ = text;
  }
  output_.Note(fmt::format("{}: {}", PhaseName(Phase::kRun), text));
}

void PlainProgress::OnMetrics(const Metrics& numbers) {
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    metrics_.Add(numbers);
    has_new_metrics_ = true;
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now < next_metrics_) return;
    next_metrics_ = now + kUpdateInterval;
    has_new_metrics_ = false;
    text = metrics_.Text(kMetricsColumns, false);
  }
  output_.Note(fmt::format("{}: {}", PhaseName(Phase::kRun), text));
}

PlainProgress::~PlainProgress() {
  if (!has_new_metrics_) return;
  output_.Note(
      fmt::format("{}: {}", PhaseName(Phase::kRun), metrics_.Text(kMetricsColumns, false)));
}

void PlainProgress::End(Phase phase, std::string_view detail, SteadyTime begun) {
  if (phase == Phase::kRun || phase == Phase::kCollect) return;
  const auto took = std::chrono::steady_clock::now() - begun;
  if (detail.empty() && took < kMinShownDuration) return;
  output_.Note(fmt::format("{}: {} ({})", PhaseName(phase),
                           detail.empty() ? "done" : OneLine(detail), FormatDuration(took)));
}

}  // namespace kinetic::cli
