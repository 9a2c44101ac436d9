#pragma once

#include "backend/capabilities.h"
#include "kube/client.h"

#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// All Jobs of one store in one namespace, by one listing, which serves several questions.
///
/// @threads  safe to call concurrently.
class JobListing {
 public:
  /// All of them outlive it.
  JobListing(const kube::Client& client, std::string_view name_space, std::string_view store,
             Clock& clock)
      : client_(client), name_space_(name_space), store_(store), clock_(clock) {}

  /// ClusterApi::ObserveAll, without the pods: what the Jobs themselves tell. A listing that was made
  /// a moment ago is taken once more.
  Result<Observations> ObserveAll(std::stop_token stop);

  /// Target::Sweep: the Jobs that have ended.
  Result<std::vector<Target::LostJob>> FindAbandoned(std::stop_token stop);

 private:
  struct Listed {
    SteadyTime when;
    Observations observations;
    std::vector<Target::LostJob> abandoned;
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
