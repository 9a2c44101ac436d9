#pragma once

#include "backend/capabilities.h"
#include "job/cluster_contexts.h"
#include "job/context.h"
#include "record/job_record.h"
#include "support/fake_clock.h"
#include "support/temp_tree.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::test {

/// A target with the jobs that a test sets. It has the traits of a cluster with `is_cluster`,
/// and of images with `base`.
class FakeTarget final : public backend::Target,
                         private backend::ContainerImages,
                         private backend::NodeProvisioner {
 public:
  struct FakeJob {
    backend::Observation observation;
    std::vector<std::string> log;      ///< the whole log
    std::uint64_t first_in_spool = 0;  ///< earlier records were removed
    std::string lost;                  ///< evidence that Sweep reports; empty: none
    std::optional<WallTime::duration> age = {};
    std::optional<Explanation> explanation;
    std::optional<record::StoredOutcome> outcome;  ///< not stored by its supervisor
    backend::LogAvailability log_availability = {};
    std::optional<Error> log_error = {};  ///< returned after `log`
    bool log_is_whole = false;            ///< as LogRead::is_whole
    bool was_started = false;             ///< not about to start, even if it is not alive
  };

  std::map<std::string, FakeJob> jobs;
  std::string identity = "fake:here";
  std::optional<JobPrice> price = {};  ///< of the jobs that are submitted
  bool is_cluster = false;
  bool stores_record = false;
  /// Called when a job starts.
  std::function<Status(const backend::Launch&)> before_start = [](const backend::Launch&) {
    return Status();
  };
  std::optional<backend::BaseImage> base;
  Result<backend::Observations> observations =
      backend::Observations();  ///< what ObserveAll returns
  std::function<Status(const std::stop_token&)> before_observe_all = [](const std::stop_token&) {
    return Status();
  };
  std::function<Status(const std::function<void(std::string_view)>&, const std::stop_token&)>
      watch_ends = [](const std::function<void(std::string_view)>&, const std::stop_token&) {
        return Status();
      };
  Result<std::vector<std::string>> orphans = std::vector<std::string>();
  std::function<Status(const std::stop_token&)> preflight = [](const std::stop_token&) {
    return Status();
  };
  /// Called before Logs reads, so that a test can change the state.
  std::function<void()> before_logs = [] {};
  std::function<Status(std::stop_token)> before_collect = [](const std::stop_token&) -> Status {
    return {};
  };
  Status sweep_status = {};
  std::function<Status(const backend::NodeRequest&, const std::function<void(std::string_view)>&,
                       std::stop_token)>
      provision_node = [](const backend::NodeRequest&, const std::function<void(std::string_view)>&,
                          const std::stop_token&) -> Status {
    return Fail(ErrorCode::kInternal, "unexpected node request");
  };

  std::string Identity() const override { return identity; }
  backend::TargetTraits Traits() const override {
    return {.is_remote = is_cluster,
            .runner_stores_log = is_cluster,
            .runner_awaits_record = is_cluster,
            .runner_stores_record = stores_record,
            .has_accelerators = is_cluster};
  }
  std::vector<backend::Limitation> Check(const JobSpec&) const override { return {}; }
  std::optional<JobPrice> PriceOf(const JobSpec&) const override { return price; }
  backend::ContainerImages* container_images() override { return base ? this : nullptr; }
  backend::NodeProvisioner* node_provisioner() override { return is_cluster ? this : nullptr; }
  Status Start(const backend::Launch& launch, std::stop_token stop) override;
  Result<std::optional<backend::Observation>> Observe(std::string_view id,
                                                      std::stop_token stop) override;
  Result<std::optional<Explanation>> Explain(std::string_view id, std::stop_token stop) override;
  Status Watch(std::string_view id, const std::function<Status(const backend::Observation&)>& each,
               std::stop_token stop) override;
  Result<backend::LogRead> Logs(std::string_view id, std::uint64_t from_sequence, bool follow,
                                const LogRecordSink& reader, std::stop_token stop) override;
  Status Cancel(std::string_view id, std::stop_token stop) override;
  Status Remove(std::string_view id, std::stop_token stop) override;
  Result<std::vector<backend::AbandonedJob>> Sweep(std::stop_token stop) override;
  Result<backend::CollectedState> Collect(std::string_view id, store::Store& store,
                                          std::stop_token stop) override;

 private:
  Status Preflight(std::stop_token stop) override { return preflight(stop); }
  Result<backend::Observations> ObserveAll(std::stop_token stop) override {
    if (auto status = before_observe_all(stop); !status) return Failure(std::move(status).error());
    return observations;
  }
  Status WatchEnds(const std::function<void(std::string_view)>& ended,
                   std::stop_token stop) override {
    return watch_ends(ended, stop);
  }
  Result<std::vector<std::string>> RemoveOrphans(bool dry_run, std::stop_token) override {
    return dry_run ? orphans : std::exchange(orphans, std::vector<std::string>());
  }
  backend::BaseImage BaseImageOf(const JobSpec&) const override { return *base; }
  Status ProvisionNode(const backend::NodeRequest& request,
                       const std::function<void(std::string_view)>& requested,
                       std::stop_token stop) override {
    return provision_node(request, requested, std::move(stop));
  }
};

/// A context with a folder store, a fake target and a fake clock.
class FakeContext {
 public:
  /// All operations except opening the store use `fs`.
  explicit FakeContext(FileSystem& fs = PosixFileSystem());

  /// Clusters that can be opened in addition to the target, by identity.
  std::map<std::string, std::shared_ptr<FakeTarget>> clusters_by_identity;

  job::Context& operator*() { return *context_; }
  job::Context* operator->() { return context_.get(); }
  store::Store& store() { return *context_->store; }
  FakeTarget& target() { return *target_; }
  job::ClusterContexts& clusters() { return *clusters_; }
  FakeClock& clock() { return clock_; }
  const TempTree& files() const { return tree_; }

  /// Writes the record and the index entry of a job, created now.
  record::Record Submit(const std::string& id, const std::string& name = "job",
                        const std::string& identity = "fake:here", const std::string& nonce = "");
  /// Stores a sealed segment of a job's log.
  void StoreSegment(const std::string& id, std::uint64_t first,
                    const std::vector<std::string>& texts);
  void StoreResult(const std::string& id, JobState state, std::uint64_t log_records = 0);
  std::vector<std::string> ReadLog(const std::string& id, const LogOptions& options = {});

 private:
  TempTree tree_;
  FakeClock clock_;
  std::shared_ptr<job::Context> context_;
  std::optional<job::ClusterContexts> clusters_;
  FakeTarget* target_;
};

}  // namespace kinetic::test
