#include "runner/patient_store.h"

#include "base/try.h"
#include "local/away.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

using local::IsAway;

constexpr milliseconds kFirstDelay{200};
constexpr milliseconds kLongestDelay{10'000};

}  // namespace

/// The time that one operation is given.
class PatientStore::Patience {
 public:
  Patience(Clock& clock, const std::stop_token& stopped)
      : clock_(clock), stopped_(stopped), end_(clock.Steady() + kStorePatience) {}

  /// Waits for the next try; false when there is none.
  bool Pause(const std::stop_token& stop) {
    Hurry();
    if (clock_.Steady() >= end_) return false;
    std::stop_source over;
    const auto end = [&over] { over.request_stop(); };
    const std::stop_callback on_stop(stop, end);
    const std::stop_callback on_stopped(hurried_ ? std::stop_token() : stopped_, end);
    (void)clock_.Sleep(delay_, over.get_token());
    delay_ = std::min(2 * delay_, kLongestDelay);
    return true;
  }

 private:
  void Hurry() {
    if (hurried_ || !stopped_.stop_requested()) return;
    hurried_ = true;
    end_ = std::min(end_, clock_.Steady() + kStoppedPatience);
    delay_ = kFirstDelay;
  }

  Clock& clock_;
  const std::stop_token& stopped_;
  SteadyTime end_;
  milliseconds delay_ = kFirstDelay;
  bool hurried_ = false;
};

template <typename Attempt>
std::invoke_result_t<Attempt> PatientStore::Patiently(const Attempt& attempt,
                                                      const std::stop_token& stop) {
  auto result = attempt();
  if (result || !IsAway(result.error())) return result;
  if (options_.on_wait) options_.on_wait("waiting for the store: " + result.error().message);
  Patience patience(clock_, options_.stopped);
  while (!result && IsAway(result.error()) && patience.Pause(stop)) {
    if (stop.stop_requested()) {
      result = Fail(ErrorCode::kCancelled, "stopped waiting for the store");
    } else {
      result = attempt();
    }
  }
  if (options_.on_wait) options_.on_wait({});
  return result;
}

Status PatientStore::CheckProof(const std::stop_token& stop) {
  if (options_.proof.empty()) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto proof, below_.Stat(options_.proof, stop));
  if (proof) return {};
  return Fail(ErrorCode::kUnavailable, below_.Location() + " has no " + options_.proof,
              "its disk is not mounted, or it was emptied");
}

Result<WallTime> PatientStore::Now(std::stop_token stop) {
  return Patiently([&] { return below_.Now(stop); }, stop);
}

Result<std::optional<store::ObjectInfo>> PatientStore::Put(std::string_view name,
                                                           store::Source& source,
                                                           const store::Precondition& precondition,
                                                           const store::PutOptions& options,
                                                           std::stop_token stop) {
  return Patiently(
      [&]() -> Result<std::optional<store::ObjectInfo>> {
        KINETIC_RETURN_IF_ERROR(CheckProof(stop));
        KINETIC_RETURN_IF_ERROR(source.Rewind());
        return below_.Put(name, source, precondition, options, stop);
      },
      stop);
}

Result<std::optional<store::ReadObject>> PatientStore::Get(std::string_view name,
                                                           const store::Range& range,
                                                           const store::Sink& sink,
                                                           std::stop_token stop) {
  bool passed = false;
  const auto noted = [&](std::string_view piece) -> Status {
    passed = true;
    return sink(piece);
  };
  std::optional<Error> broken;  // in the middle: what was passed on cannot be taken back
  auto result = Patiently(
      [&]() -> Result<std::optional<store::ReadObject>> {
        auto got = below_.Get(name, range, noted, stop);
        if (got || !passed) return got;
        broken = std::move(got).error();
        return std::optional<store::ReadObject>();
      },
      stop);
  if (broken) return Failure(*std::move(broken));
  return result;
}

Result<std::optional<store::ObjectInfo>> PatientStore::Stat(std::string_view name,
                                                            std::stop_token stop) {
  return Patiently([&] { return below_.Stat(name, stop); }, stop);
}

Status PatientStore::List(std::string_view prefix, std::string_view start,
                          const std::function<Result<bool>(const store::ObjectInfo&)>& each,
                          std::stop_token stop) {
  return below_.List(prefix, start, each, std::move(stop));
}

Result<std::optional<store::ObjectInfo>> PatientStore::Touch(std::string_view name,
                                                             const store::TouchOptions& options,
                                                             std::stop_token stop) {
  return Patiently([&] { return below_.Touch(name, options, stop); }, stop);
}

Result<store::Removal> PatientStore::RemoveIfUnchanged(const store::ObjectInfo& seen,
                                                       std::stop_token stop) {
  return Patiently([&] { return below_.RemoveIfUnchanged(seen, stop); }, stop);
}

Result<std::uint64_t> PatientStore::RemoveLeftovers(std::stop_token stop) {
  return below_.RemoveLeftovers(std::move(stop));
}

}  // namespace kinetic::runner
