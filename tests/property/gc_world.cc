#include "gc_world.h"

#include "kinetic/try.h"

#include "base/time/clock.h"
#include "gc_content.h"
#include "record/object_names.h"
#include "store/source.h"

#include <algorithm>
#include <utility>

namespace kinetic::test {
namespace {

using std::chrono::hours;

constexpr int kRounds = 3;

}  // namespace

GcWorld::GcWorld(std::uint64_t seed, const MakeStore& make_store, bool wrong_clocks)
    : random_(seed), store_(make_store(clock_)), wrong_clocks_(wrong_clocks) {
  if (wrong_clocks) {
    store_.SetEstimate([this](WallTime now) { return now + hours(Pick(460 * 24) - 60 * 24); });
  }
  calm_ = Pick(2) == 0;
  last_collection_ = clock_.Now();
  store_.SetHook([this](std::string_view operation, std::string_view name) -> Status {
    if (scheduler_ == nullptr) return {};
    auto allowed = scheduler_->Yield();
    if (allowed && operation != "now") {
      Note(std::string(operation) + " " + std::string(name.substr(0, 12)));
    }
    return allowed;
  });
}

void GcWorld::Note(const std::string& text) {
  trace_ += FormatTime(clock_.Now()).substr(5, 11) + " " + text + "\n";
}

void GcWorld::Fault(const std::string& text) {
  Note("FAULT: " + text);
  if (!fault_) fault_ = text;
}

std::optional<std::string> GcWorld::Play() {
  if (Pick(2) == 0) MakePast();
  for (int round = 0; round < kRounds && !fault_; ++round) {
    Round();
    Pick(2) == 0 ? clock_.Jump(hours(Pick(15 * 24))) : JumpNearThreshold();
    ApplyLifecycle();
    CheckJobs();
  }
  return fault_ ? fault_ : CheckEnd();
}

void GcWorld::Round() {
  Scheduler scheduler(random_);
  scheduler_ = &scheduler;
  const int writers = 2 + Pick(3);
  for (int i = 0; i < writers; ++i) {
    scheduler.Spawn([this] {
      for (int n = 1 + Pick(2); n > 0; --n) Submit();
    });
  }
  for (int n = Pick(3); n > 0; --n) scheduler.Spawn([this] { Collect(); });
  if (Pick(2) == 0) scheduler.Spawn([this] { RemoveJob(); });
  if (Pick(2) == 0) scheduler.Spawn([this] { ReadJob(); });
  scheduler.Run([this] { return Environment(); });
  scheduler_ = nullptr;
}

bool GcWorld::Environment() {
  CheckJobs();
  CheckPromises();
  CheckTrees();
  if (Pick(12) == 0) JumpClock();
  if (Pick(60) == 0) ApplyLifecycle();
  if (Pick(120) != 0) return false;
  ++counts_.killed;
  Note("kill");
  return true;
}

void GcWorld::Submit() {
  const std::string id = std::to_string(next_job_++);
  const int tree = Pick(kTrees);
  Note("submit job " + id + " with tree " + std::to_string(tree));
  bundle::ContentLease lease(store_, ReferencesOf, 1);
  for (int attempt = 0; attempt < 5; ++attempt) {
    const Step step = SubmitOnce(lease, id, tree);
    promises_.erase(id);
    if (step == Step::kEnded) return;
    if (step == Step::kAgain) continue;
    Note("job " + id + " is submitted");
    ++counts_.submitted;
    const auto job = jobs_.find(id);
    if (job != jobs_.end()) job->second.strict = true;
    return;
  }
}

/// A writer sometimes lets many others run first.
void GcWorld::LetOthersRun() {
  for (int n = Pick(3) == 0 ? Pick(60) : 0; n > 0; --n) (void)store_.Now({});
}

GcWorld::Step GcWorld::SubmitOnce(bundle::ContentLease& lease, const std::string& id, int tree) {
  const WallTime began = clock_.Now();
  const auto reuse = lease.ReuseTree(TreeDigest(tree), {});
  if (!reuse) return Step::kEnded;
  if (*reuse) {
    ++counts_.reused;
  } else if (const Step step = Upload(lease, tree); step != Step::kDone) {
    return step;
  }
  // With a wrong clock, a writer relies on a tree only once it has confirmed it.
  if (!wrong_clocks_) promises_[id] = {tree, began};
  LetOthersRun();
  const auto ready = lease.RenewIfStale({});
  if (!ready) return Step::kEnded;
  if (!*ready) return Step::kAgain;
  if (const Step step = PutRecord(id, tree, began); step != Step::kDone) return step;
  const auto still = lease.Confirm({});
  if (!still) return Step::kEnded;
  return *still ? Step::kDone : Step::kAgain;
}

/// Clients remember stored objects, which may be removed or replaced when they are needed.
void GcWorld::Remember(int tree) {
  const auto objects = store_.Objects();
  const auto body = store_.Peek(TreeName(tree));
  const auto found = objects.find(TreeName(tree));
  if (body && found != objects.end()) remembered_[tree] = {*body, found->second.generation};
}

/// Checks the objects of an old tree one by one. Returns false if one is missing or `step` failed.
bool GcWorld::ReuseEach(bundle::ContentLease& lease, int before, const std::string& body,
                        Step& step) {
  const Body parsed = Parse(body);
  bool all = true;
  const auto take = [&](const Result<bool>& there) {
    if (!there) step = Step::kEnded;
    all = all && there && *there;
  };
  const int base = parsed.base.value_or(before);
  take(lease.ReuseBase(TreeDigest(base), {}));
  const auto now = store_.Peek(TreeName(base));
  all = all && now && !Parse(*now).base;
  for (const int pack : parsed.packs) {
    if (all && parsed.base) take(lease.ReusePack(PackDigest(pack), {}));
  }
  return all;
}

/// Returns all objects of a remembered tree, or the tree itself as a base; nullopt if `step` has
/// the reason.
std::optional<std::string> GcWorld::BuildOn(bundle::ContentLease& lease, int before, int tree,
                                            Step& step) {
  const bundle::TreeObject object = remembered_.at(before);
  const auto state = lease.Inspect(TreeDigest(before), object, {});
  step = state ? Step::kAgain : Step::kEnded;
  if (!state) return std::nullopt;
  using TreeState = bundle::ContentLease::TreeState;
  if (*state == TreeState::kChanged) {
    remembered_.erase(before);
    return std::nullopt;
  }
  if (*state == TreeState::kStale && !ReuseEach(lease, before, object.body, step)) {
    return std::nullopt;
  }
  LetOthersRun();
  ++counts_.built_on;
  const Body parsed = Parse(object.body);
  if (parsed.base == tree) return object.body.substr(0, object.body.find('|')) + "|-";
  if (parsed.base || Pick(2) == 0) return object.body;
  return "|" + std::to_string(before);
}

/// Returns old and new packs, sometimes with a base; nullopt if `step` has the reason.
std::optional<std::string> GcWorld::ChooseBody(bundle::ContentLease& lease, int tree, Step& step) {
  const int before = Pick(kTrees);
  if (before != tree && remembered_.contains(before) && Pick(3) != 0) {
    return BuildOn(lease, before, tree, step);
  }
  std::string body;
  for (int n = Pick(3); n >= 0; --n) {
    const int pack = Pick(kPacks);
    if (body.find(static_cast<char>('0' + pack)) != std::string::npos) continue;
    body += static_cast<char>('0' + pack);
    bool there = false;
    if (Pick(2) == 0) {
      const auto reused = lease.ReusePack(PackDigest(pack), {});
      if (!reused) return std::nullopt;
      there = *reused;
    }
    LetOthersRun();
    store::BytesSource source("content");
    if (!there && !lease.PutPack(PackDigest(pack), source, {})) return std::nullopt;
  }
  const int base = Pick(kTrees);
  const auto base_body = store_.Peek(TreeName(base));
  if (base == tree || !base_body || Parse(*base_body).base || Pick(2) == 0) return body + "|-";
  if (Pick(2) == 0) {
    const auto there = lease.ReuseBase(TreeDigest(base), {});
    if (!there) return std::nullopt;
    const auto now = store_.Peek(TreeName(base));
    if (!*there || !now || Parse(*now).base) {
      step = Step::kAgain;
      return std::nullopt;
    }
  }
  return body + "|" + std::to_string(base);
}

GcWorld::Step GcWorld::Upload(bundle::ContentLease& lease, int tree) {
  Step step = Step::kEnded;
  const auto body = ChooseBody(lease, tree, step);
  if (!body) return step;
  const auto put = lease.PutTree(TreeDigest(tree), *body, {});
  if (put) {
    Remember(tree);
    return Step::kDone;
  }
  return put.error().code == ErrorCode::kAborted ? Step::kAgain : Step::kEnded;
}

GcWorld::Step GcWorld::PutRecord(const std::string& id, int tree, WallTime began) {
  const std::string name = record::RecordName(id);
  const auto put =
      store::PutBytes(store_, name, std::to_string(tree), store::Precondition::Absent(), {});
  // The response may have been lost. The stored state counts.
  if (store_.Peek(name) && !jobs_.contains(id)) {
    jobs_[id] = {tree, !wrong_clocks_ && clock_.Now() - began < kConfirmedFor};
  }
  return put ? Step::kDone : Step::kEnded;
}

Result<std::set<Digest>> GcWorld::LiveTrees() {
  std::vector<std::string> names;
  const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
    names.push_back(info.name);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store_.List("jobs/", "", take, {}));
  std::set<Digest> trees;
  for (const std::string& name : names) {
    KINETIC_ASSIGN_OR_RETURN(const auto tree, store::GetBytes(store_, name, {}));
    if (tree) trees.insert(TreeDigest(std::stoi(*tree)));
  }
  return trees;
}

void GcWorld::Collect() {
  Note("collect");
  const WallTime began = clock_.Now();
  bundle::ContentCollectorOptions options;
  options.requests = 1;
  const auto report = bundle::CollectContent(
      store_, ReferencesOf, [this](const std::stop_token&) { return LiveTrees(); }, options, {});
  if (!report) return;
  last_collection_ = std::max(last_collection_, began);
  counts_.removed += report->removed.size();
}

void GcWorld::RemoveJob() {
  if (jobs_.empty()) return;
  const std::string id = std::next(jobs_.begin(), Pick(static_cast<int>(jobs_.size())))->first;
  const auto seen = store_.Stat(record::RecordName(id), {});
  if (!seen || !*seen) return;
  const auto removed = store_.RemoveIfUnchanged(**seen, {});
  if (!removed) return;
  Note("job " + id + " is removed");
  jobs_.erase(id);
}

/// Reads all objects of a tree. Returns the missing one; nullopt if there is none or the actor was
/// killed.
std::optional<std::string> GcWorld::ReadAll(int tree) {
  const auto body = store::GetBytes(store_, TreeName(tree), {});
  if (!body) return std::nullopt;
  if (!*body) return "the tree";
  Body parsed = Parse(**body);
  if (parsed.base) {
    const auto base = store::GetBytes(store_, TreeName(*parsed.base), {});
    if (!base) return std::nullopt;
    if (!*base) return "the base";
    for (const int pack : Parse(**base).packs) parsed.packs.push_back(pack);
  }
  for (const int pack : parsed.packs) {
    const auto there = store_.Stat(PackName(pack), {});
    if (!there) return std::nullopt;
    if (!*there) return "pack " + std::to_string(pack);
  }
  return std::nullopt;
}

void GcWorld::ReadJob() {
  if (jobs_.empty()) return;
  const auto [id, job] = *std::next(jobs_.begin(), Pick(static_cast<int>(jobs_.size())));
  if (!job.strict) return;
  std::optional<std::string> missing;
  // A tree that was replaced during the read is read again.
  for (int attempt = 0; attempt < 3; ++attempt) {
    missing = ReadAll(job.tree);
    if (!missing) return;
  }
  if (jobs_.contains(id)) Fault("a reader of job " + id + " did not find " + *missing);
}

}  // namespace kinetic::test
