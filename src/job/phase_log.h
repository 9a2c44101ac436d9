#pragma once

#include "job/context.h"
#include "record/client_phase.h"

#include <array>
#include <mutex>
#include <vector>

namespace kinetic::job {

/// Forwards all events to the caller's observer, logs the duration of each phase, and keeps it for
/// the job's record.
class PhaseLog final : public Observer {
 public:
  /// @param next  may be null.
  PhaseLog(const Context& context, Observer* next) : context_(context), next_(next) {}

  void OnPhaseBegin(Phase phase, std::string_view what) override;
  void OnPhaseEnd(Phase phase, std::string_view detail) override;
  void OnBytes(Phase phase, std::uint64_t done, std::uint64_t total) override;
  void OnOutput(Phase phase, std::string_view line) override;
  void OnWarning(std::string_view message) override;

  /// Returns the phases that have ended, each with its last period.
  std::vector<record::ClientPhase> Ended();

 private:
  static constexpr std::size_t kPhases = static_cast<std::size_t>(Phase::kCollect) + 1;

  const Context& context_;
  Observer* next_;
  std::mutex mutex_;
  std::array<std::optional<std::chrono::steady_clock::time_point>, kPhases> begun_;
  std::vector<record::ClientPhase> ended_;
};

}  // namespace kinetic::job
