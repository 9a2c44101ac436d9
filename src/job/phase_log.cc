#include "job/phase_log.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::job {

void PhaseLog::OnPhaseBegin(Phase phase, std::string_view what) {
  {
    const std::lock_guard lock(mutex_);
    auto& begun = begun_.at(static_cast<std::size_t>(phase));
    // A phase that begins again with new details keeps its start time.
    if (!begun) begun = std::chrono::steady_clock::now();
  }
  context_.Log(LogLevel::kDebug, fmt::format("{} begins: {}", Name(phase), what));
  if (next_ != nullptr) next_->OnPhaseBegin(phase, what);
}

void PhaseLog::OnPhaseEnd(Phase phase, std::string_view detail) {
  const auto now = std::chrono::steady_clock::now();
  std::optional<std::chrono::steady_clock::time_point> begun;
  {
    const std::lock_guard lock(mutex_);
    begun = std::exchange(begun_.at(static_cast<std::size_t>(phase)), std::nullopt);
    const WallTime ended = context_.clock.Now();
    std::erase_if(ended_, [&](const auto& each) { return each.phase == phase; });
    ended_.push_back({phase, ended - (now - begun.value_or(now)), ended, std::string(detail)});
  }
  const std::chrono::duration<double> took = now - begun.value_or(now);
  context_.Log(LogLevel::kInfo, fmt::format("{} took {:.3f}s{}{}", Name(phase), took.count(),
                                            detail.empty() ? "" : ": ", detail));
  if (next_ != nullptr) next_->OnPhaseEnd(phase, detail);
}

std::vector<record::ClientPhase> PhaseLog::Ended() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void PhaseLog::OnBytes(Phase phase, std::uint64_t done, std::uint64_t total) {
  if (next_ != nullptr) next_->OnBytes(phase, done, total);
}

void PhaseLog::OnOutput(Phase phase, std::string_view line) {
  context_.Log(LogLevel::kInfo, line);
  if (next_ != nullptr) next_->OnOutput(phase, line);
}

void PhaseLog::OnWarning(std::string_view message) {
  if (next_ != nullptr) next_->OnWarning(message);
}

}  // namespace kinetic::job
