#pragma once

#include "backend/target.h"
#include "base/time/clock.h"
#include "kube/client.h"

#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// Lists all Jobs of one store in a namespace. Several queries share one listing.
///
/// @threads  safe to call concurrently.
class JobListing {
 public:
  /// All parameters must outlive this object.
  JobListing(const kube::Client& client, std::string_view name_space, std::string_view store,
             Clock& clock)
      : client_(client), name_space_(name_space), store_(store), clock_(clock) {}

  /// Implements Target::ObserveAll from the Jobs, without their pods. Reuses a recent listing.
  Result<Observations> ObserveAll(std::stop_token stop);

  /// Implements Target::Sweep: returns the Jobs that have ended.
  Result<std::vector<AbandonedJob>> FindAbandoned(std::stop_token stop);

 private:
  struct Listed {
    SteadyTime when;
    Observations observations;
    std::vector<AbandonedJob> abandoned;
  };
  Result<Listed> List(const std::stop_token& stop);

  const kube::Client& client_;
  const std::string name_space_;
  const std::string store_;
  Clock& clock_;
  std::mutex mutex_;
  std::optional<Listed> last_;
};

}  // namespace kinetic::backend
