#include "runner/staging/retrying_store.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "gcs/client.h"
#include "record/status.h"
#include "store/object_store.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstDelay{200};
constexpr milliseconds kLongestDelay{10'000};

std::optional<std::int64_t> GenerationOf(const Error& error) {
  for (const auto& [key, value] : error.details) {
    if (key == gcs::kGenerationDetail) return ParseInt(value);
  }
  return std::nullopt;
}

std::string WaitReason(const Error& error) {
  std::string reason = "waiting for the store: ";
  if (error.code == ErrorCode::kUnauthenticated) {
    reason += std::string(record::kCredentialRejected) + ": ";
  }
  reason += error.message;
  if (!error.hint.empty()) reason += " (" + error.hint + ")";
  return reason;
}

}  // namespace

/// The remaining time of one operation and the delay before its next try.
class RetryingStore::RetryTimer {
 public:
  RetryTimer(Clock& clock, const std::stop_token& stopped)
      : clock_(clock), stopped_(stopped), start_(clock.Steady()), end_(start_ + kStoreRetryTime) {}

  /// Shortens the time after errors that retries do not resolve.
  void Limit(const Error& error) {
    if (error.code == ErrorCode::kUnauthenticated) {
      end_ = std::min(end_, start_ + kRefusedRetryTime);
    }
    if (IsDiskFull(error) || IsOpenFileLimit(error)) {
      end_ = std::min(end_, start_ + kExhaustedRetryTime);
    }
  }

  /// Waits for the next try; returns false if the time is over.
  bool Pause(const std::stop_token& stop) {
    ApplyStop();
    const auto left = std::chrono::ceil<milliseconds>(end_ - clock_.Steady());
    if (left.count() <= 0) return false;
    std::stop_source over;
    const auto end = [&over] { over.request_stop(); };
    const std::stop_callback on_stop(stop, end);
    const std::stop_callback on_stopped(shortened_ ? std::stop_token() : stopped_, end);
    (void)clock_.Sleep(std::min(delay_, left), over.get_token());
    delay_ = std::min(2 * delay_, kLongestDelay);
    return true;
  }

 private:
  /// Shortens the time once the job is being stopped.
  void ApplyStop() {
    if (shortened_ || !stopped_.stop_requested()) return;
    shortened_ = true;
    end_ = std::min(end_, clock_.Steady() + kStoppedRetryTime);
    delay_ = kFirstDelay;
  }

  Clock& clock_;
  const std::stop_token& stopped_;
  const SteadyTime start_;
  SteadyTime end_;
  milliseconds delay_ = kFirstDelay;
  bool shortened_ = false;
};

template <typename Attempt>
std::invoke_result_t<Attempt> RetryingStore::WithRetries(const Attempt& attempt,
                                                         const std::stop_token& stop) {
  auto result = attempt();
  if (result || !store::IsStoreUnavailable(result.error())) return result;
  if (options_.on_wait) options_.on_wait(WaitReason(result.error()));
  RetryTimer timer(clock_, options_.stopped);
  timer.Limit(result.error());
  while (!result && store::IsStoreUnavailable(result.error()) && timer.Pause(stop)) {
    if (stop.stop_requested()) {
      result = Fail(ErrorCode::kCancelled, "stopped waiting for the store");
    } else {
      result = attempt();
    }
    if (!result) timer.Limit(result.error());
  }
  if (options_.on_wait) options_.on_wait({});
  return result;
}

Status RetryingStore::CheckProof(const std::stop_token& stop) {
  if (options_.proof.empty()) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto proof, below_.Stat(options_.proof, stop));
  if (proof) return {};
  return Fail(ErrorCode::kUnavailable, below_.Location() + " does not contain " + options_.proof,
              "check that its disk is mounted and that it was not emptied");
}

Result<WallTime> RetryingStore::Now(std::stop_token stop) {
  return WithRetries([&] { return below_.Now(stop); }, stop);
}

Result<WallTime> RetryingStore::ExactNow(std::stop_token stop) {
  return WithRetries([&] { return below_.ExactNow(stop); }, stop);
}

Result<std::optional<store::ObjectInfo>> RetryingStore::Put(std::string_view name,
                                                            store::Source& source,
                                                            const store::Precondition& precondition,
                                                            const store::PutOptions& options,
                                                            std::stop_token stop) {
  return WithRetries(
      [&]() -> Result<std::optional<store::ObjectInfo>> {
        KINETIC_RETURN_IF_ERROR(CheckProof(stop));
        KINETIC_RETURN_IF_ERROR(source.Rewind());
        return below_.Put(name, source, precondition, options, stop);
      },
      stop);
}

Result<std::optional<store::ReadResult>> RetryingStore::Get(std::string_view name,
                                                            const store::Range& range,
                                                            const store::Sink& sink,
                                                            std::stop_token stop) {
  std::uint64_t received = 0;
  std::optional<std::int64_t> generation;  // of the received bytes
  const auto observed = [&](std::string_view piece) -> Status {
    received += piece.size();
    return sink(piece);
  };
  std::optional<Error> broken;  // the rest cannot be requested
  auto result = WithRetries(
      [&]() -> Result<std::optional<store::ReadResult>> {
        store::Range rest = range;
        rest.offset += received;
        if (rest.length) *rest.length -= std::min(*rest.length, received);
        auto got = below_.Get(name, rest, observed, stop);
        if (got || received == 0) return got;
        generation = GenerationOf(got.error());
        if (generation) return got;
        broken = std::move(got).error();
        return std::optional<store::ReadResult>();
      },
      stop);
  if (broken) return Failure(*std::move(broken));
  if (result && generation && (!*result || (*result)->generation != *generation)) {
    return Fail(ErrorCode::kAborted, std::string(name) + " was replaced while it was read");
  }
  return result;
}

Result<std::optional<store::ObjectInfo>> RetryingStore::Stat(std::string_view name,
                                                             std::stop_token stop) {
  return WithRetries([&] { return below_.Stat(name, stop); }, stop);
}

Status RetryingStore::List(std::string_view prefix, std::string_view start,
                           const std::function<Result<bool>(const store::ObjectInfo&)>& each,
                           std::stop_token stop) {
  bool received = false;
  const auto observed = [&](const store::ObjectInfo& info) {
    received = true;
    return each(info);
  };
  std::optional<Error> broken;  // `each` has seen objects, so the listing cannot be repeated
  const Status listed = WithRetries(
      [&]() -> Status {
        Status done = below_.List(prefix, start, observed, stop);
        if (done || !received) return done;
        broken = std::move(done).error();
        return {};
      },
      stop);
  return broken ? Status(Failure(*std::move(broken))) : listed;
}

Result<std::optional<store::ObjectInfo>> RetryingStore::Touch(std::string_view name,
                                                              const store::TouchOptions& options,
                                                              std::stop_token stop) {
  return WithRetries([&] { return below_.Touch(name, options, stop); }, stop);
}

Result<store::Removal> RetryingStore::RemoveIfUnchanged(const store::ObjectInfo& seen,
                                                        std::stop_token stop) {
  return WithRetries([&] { return below_.RemoveIfUnchanged(seen, stop); }, stop);
}

Result<std::uint64_t> RetryingStore::RemoveLeftovers(std::stop_token stop) {
  return below_.RemoveLeftovers(std::move(stop));
}

}  // namespace kinetic::runner
