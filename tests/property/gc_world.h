#pragma once

#include "bundle/gc/content_lease.h"
#include "bundle/gc/content_removal.h"
#include "gc_scheduler.h"
#include "support/fake_clock.h"
#include "support/watched_store.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace kinetic::test {

/// A store with concurrent submissions, collections, removals and readers, a jumping clock and a
/// lifecycle rule. Trees and packs are numbered; a tree object is "packs|base", such as "014|-".
class GcWorld {
 public:
  /// Creates the store of a run, with the clock of the run.
  using MakeStore = std::function<std::unique_ptr<store::Store>(Clock& clock)>;

  /// @param wrong_clocks  what clients take for the time is off by −60 to 400 days, and jumps.
  GcWorld(std::uint64_t seed, const MakeStore& make_store, bool wrong_clocks);

  /// Executes some rounds. Returns the first violation, or nullopt.
  std::optional<std::string> Play();

  /// Returns the events, for the message of a failure.
  const std::string& trace() const { return trace_; }

  /// Counts of relevant events.
  struct Counts {
    std::uint64_t submitted = 0, reused = 0, built_on = 0, removed = 0, killed = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  /// A job whose record is in the store.
  struct Job {
    int tree = 0;
    bool strict = false;  ///< its content must exist
  };
  /// A guarantee to a writer: from `made` on, the tree is kept for this time.
  struct Promise {
    int tree = 0;
    WallTime made;
  };
  enum class Step : std::uint8_t { kDone, kAgain, kEnded };

  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  void Note(const std::string& text);
  void Fault(const std::string& text);

  void MakePast();
  WallTime SomeTimeAgo();
  std::chrono::hours SomeThreshold();
  void Round();
  bool Environment();
  void JumpClock();
  void ApplyLifecycle();
  void JumpNearThreshold();
  void CheckJobs();
  void CheckPromises();
  void CheckTrees();
  std::optional<std::string> FindMissing(int tree) const;
  std::optional<std::string> FindMissingPack(const std::string& tree_name) const;

  void Submit();
  void LetOthersRun();
  Step SubmitOnce(bundle::ContentLease& lease, const std::string& id, int tree);
  Step Upload(bundle::ContentLease& lease, int tree);
  std::optional<std::string> ChooseBody(bundle::ContentLease& lease, int tree, Step& step);
  std::optional<std::string> BuildOn(bundle::ContentLease& lease, int before, int tree, Step& step);
  bool ReuseEach(bundle::ContentLease& lease, int before, const std::string& body, Step& step);
  void Remember(int tree);
  Step PutRecord(const std::string& id, int tree, WallTime began);
  void Collect();
  void RemoveJob();
  void ReadJob();
  std::optional<std::string> ReadAll(int tree);
  Result<std::set<Digest>> LiveTrees();
  std::optional<std::string> CheckEnd();

  Scheduler::Random random_;
  FakeClock clock_;
  WatchedStore store_;
  Scheduler* scheduler_ = nullptr;
  std::map<std::string, Job> jobs_;
  std::map<std::string, Promise> promises_;  ///< by job
  /// Whether the objects that a tree object refers to must exist as long as it does; by generation.
  std::map<std::pair<std::int64_t, std::int64_t>, bool> whole_;
  std::map<int, bundle::TreeObject> remembered_;  ///< trees as stored by clients
  int next_job_ = 0;
  std::chrono::hours set_back_{0};
  WallTime last_collection_;
  const bool wrong_clocks_;
  bool calm_;  ///< machines do not sleep in this run, and clocks jump by hours at most
  std::optional<std::string> fault_;
  std::string trace_;
  Counts counts_;
};

}  // namespace kinetic::test
