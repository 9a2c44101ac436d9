#pragma once

#include "job/context.h"
#include "job/other_clusters.h"
#include "record/record.h"
#include "support/fake_clock.h"
#include "support/temp_tree.h"
#include "target/target.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::test {

/// A target whose jobs are what a test says.
class FakeTarget final : public target::Target {
 public:
  struct FakeJob {
    target::Observation observation;
    std::vector<std::string> log;      ///< all of it
    std::uint64_t first_in_spool = 0;  ///< records before it are not here any more
    std::string lost;                  ///< evidence; Sweep reports it when it is not empty
    std::optional<Explanation> explanation;
    std::optional<record::StoredOutcome> outcome;  ///< that its supervisor could not store
    RestOfLog rest_of_log = {};
    std::optional<Error> log_refused = {};  ///< after `log`
  };

  std::map<std::string, FakeJob> jobs;
  std::string identity = "fake:here";
  bool far = false;  ///< UsesImages
  std::optional<target::BaseImage> base;
  Result<std::optional<Observations>> all =
      std::optional<Observations>();  ///< what ObserveAll gives
  Result<std::vector<std::string>> leftovers = std::vector<std::string>();
  /// Called before Logs reads, so that a test can change things meanwhile.
  std::function<void()> before_logs = [] {};
  std::function<Status(std::stop_token)> before_collect = [](const std::stop_token&) -> Status {
    return {};
  };
  Status sweep_refused = {};
  std::function<Status(const target::PackagesLaunch&, Observer&)> make_packages =
      [](const target::PackagesLaunch&, Observer&) -> Status {
    return Fail(ErrorCode::kInternal, "no packages were to be made there");
  };

  std::function<Status(const target::NodeWish&, const std::function<void(std::string_view)>&,
                       std::stop_token)>
      ask_for_node = [](const target::NodeWish&, const std::function<void(std::string_view)>&,
                        const std::stop_token&) -> Status {
    return Fail(ErrorCode::kInternal, "no node was to be asked for");
  };

  std::string Identity() const override { return identity; }
  std::vector<target::Limitation> Check(const JobSpec&) const override { return {}; }
  std::optional<target::BaseImage> BaseOf(const JobSpec&) const override { return base; }
  bool UsesImages() const override { return far; }
  Result<std::vector<Value>> Describe(const target::Launch&) const override {
    return std::vector<Value>();
  }
  Status Preflight(const JobSpec&, std::stop_token) override { return {}; }
  Status Start(const target::Launch& launch, std::stop_token stop) override;
  Status MakePackages(const target::PackagesLaunch& launch, Observer& observer,
                      std::stop_token) override {
    return make_packages(launch, observer);
  }
  Result<std::vector<Value>> DescribePackages(const target::PackagesLaunch&) const override {
    return std::vector<Value>{Value("the making of packages")};
  }
  Status AskForNode(const target::NodeWish& wish,
                    const std::function<void(std::string_view)>& asked,
                    std::stop_token stop) override {
    return ask_for_node(wish, asked, std::move(stop));
  }
  Result<std::optional<target::Observation>> Observe(std::string_view id,
                                                     std::stop_token stop) override;
  Result<std::optional<Observations>> ObserveAll(std::stop_token) override { return all; }
  Result<std::optional<Explanation>> Explain(std::string_view id, std::stop_token stop) override;
  Status Watch(std::string_view id, const std::function<Status(const target::Observation&)>& each,
               std::stop_token stop) override;
  Result<std::uint64_t> Logs(std::string_view id, std::uint64_t from_sequence, bool follow,
                             const LogReader& reader, std::stop_token stop) override;
  Status Cancel(std::string_view id, std::stop_token stop) override;
  Status Remove(std::string_view id, std::stop_token stop) override;
  Result<std::vector<LostJob>> Sweep(std::stop_token stop) override;
  Result<std::vector<std::string>> RemoveLeftovers(bool dry_run, std::stop_token) override {
    return dry_run ? leftovers : std::exchange(leftovers, std::vector<std::string>());
  }
  Result<Remains> Collect(std::string_view id, store::Store& store, std::stop_token stop) override;
};

/// A context with a folder store, a fake target and a fake clock.
class FakeContext {
 public:
  /// `fs` is what all but the opening of the store goes through.
  explicit FakeContext(FileSystem& fs = PosixFileSystem());

  /// The clusters that can be opened beside the target, by identity.
  std::map<std::string, std::shared_ptr<FakeTarget>> others;

  job::Context& operator*() { return *context_; }
  job::Context* operator->() { return context_.get(); }
  store::Store& store() { return *context_->store; }
  FakeTarget& target() { return *target_; }
  job::OtherClusters& clusters() { return *clusters_; }
  FakeClock& clock() { return clock_; }
  const TempTree& files() const { return tree_; }

  /// Writes the record and the index entry of a job, created now.
  record::Record Submit(const std::string& id, const std::string& name = "job",
                        const std::string& identity = "fake:here");
  /// Stores a sealed segment of a job's log.
  void StoreSegment(const std::string& id, std::uint64_t first,
                    const std::vector<std::string>& texts);
  void StoreResult(const std::string& id, JobState state, std::uint64_t log_records = 0);
  std::vector<std::string> ReadLog(const std::string& id, const LogOptions& options = {});

 private:
  TempTree tree_;
  FakeClock clock_;
  std::shared_ptr<job::Context> context_;
  std::optional<job::OtherClusters> clusters_;
  FakeTarget* target_;
};

}  // namespace kinetic::test
