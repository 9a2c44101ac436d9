#pragma once

#include "base/clock.h"
#include "store/store.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// How long a store that is away is waited for, from the first failure of an operation on.
inline constexpr std::chrono::minutes kStorePatience{30};
/// The same once the job is to stop: what is not stored then is left to the next client.
inline constexpr std::chrono::seconds kStoppedPatience{10};

/// A store that outlasts the absence of the one below it: an operation that fails because the store
/// is away is tried again, ever less often, for kStorePatience (local::IsAway says which errors
/// do). Nothing is written to a store that does not have the proof, such as the empty folder below
/// a disk that is not mounted.
///
/// @errors   those of the store below; when it stays away, that of the last try.
/// @threads  safe to call concurrently.
class PatientStore final : public store::Store {
 public:
  struct Options {
    std::string proof;        ///< an object that is in the store if it is the right one; empty:
                              ///< none is needed
    std::stop_token stopped;  ///< from then on it is waited for kStoppedPatience at most
    /// Called, on the thread that waits, with the reason when waiting begins, and with nothing when
    /// it is over.
    std::function<void(std::string_view reason)> on_wait;
  };

  PatientStore(store::Store& below, Clock& clock, Options options)
      : below_(below), clock_(clock), options_(std::move(options)) {}

  std::string Location() const override { return below_.Location(); }
  Result<WallTime> Now(std::stop_token stop) override;
  Result<std::optional<store::ObjectInfo>> Put(std::string_view name, store::Source& source,
                                               const store::Precondition& precondition,
                                               const store::PutOptions& options,
                                               std::stop_token stop) override;
  /// Not tried again once a piece has been passed on.
  Result<std::optional<store::ReadObject>> Get(std::string_view name, const store::Range& range,
                                               const store::Sink& sink,
                                               std::stop_token stop) override;
  Result<std::optional<store::ObjectInfo>> Stat(std::string_view name,
                                                std::stop_token stop) override;
  /// Not tried again.
  Status List(std::string_view prefix, std::string_view start,
              const std::function<Result<bool>(const store::ObjectInfo&)>& each,
              std::stop_token stop) override;
  Result<std::optional<store::ObjectInfo>> Touch(std::string_view name,
                                                 const store::TouchOptions& options,
                                                 std::stop_token stop) override;
  Result<store::Removal> RemoveIfUnchanged(const store::ObjectInfo& seen,
                                           std::stop_token stop) override;
  Result<std::uint64_t> RemoveLeftovers(std::stop_token stop) override;

 private:
  class Patience;

  Status CheckProof(const std::stop_token& stop);
  template <typename Attempt>
  std::invoke_result_t<Attempt> Patiently(const Attempt& attempt, const std::stop_token& stop);

  store::Store& below_;
  Clock& clock_;
  const Options options_;
};

}  // namespace kinetic::runner
