#include "record/index.h"

#include "record/object_names.h"
#include "record/outcome.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace kinetic::record {
namespace {

using std::chrono::seconds;
using testing::EndsWith;
using testing::IsEmpty;
using testing::SizeIs;

class IndexTest : public testing::Test {
 protected:
  JobSummary Summary(const std::string& id, int created = 0) {
    JobSummary summary;
    summary.id = id;
    summary.name = "digits";
    summary.owner = "ana@laptop";
    summary.target = "local";
    summary.created = clock_.Now() + seconds(created);
    return summary;
  }

  JobSummary Newest() {
    const auto jobs = NewestJobs(store_, 1, {});
    EXPECT_TRUE(jobs && jobs->size() == 1);
    return jobs && !jobs->empty() ? jobs->front() : JobSummary();
  }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
};

TEST_F(IndexTest, RoundTrips) {
  JobSummary summary = Summary("k-1");
  summary.state = JobState::kFailed;
  summary.reason = "größer als 2 GiB";
  summary.started = summary.created + seconds(5);
  summary.finished = summary.created + seconds(9);
  summary.attempt = 3;
  summary.function = true;
  summary.target_identity = "kubernetes:https://10.0.0.1:6443#4f1c0a99b2de/ml";
  summary.arguments = {"epochs=3", "note=größer"};
  summary.tags = {{"team", "nlp"}, {"run", "7"}};
  summary.price = JobPrice{"us-west4", Provisioning::kSpot, Price{0.72, "2026-11-28"}};
  summary.node_time = std::chrono::milliseconds(4321);
  ASSERT_TRUE(WriteIndex(store_, summary, {}));
  const JobSummary read = Newest();
  EXPECT_EQ(read.id, summary.id);
  EXPECT_EQ(read.name, summary.name);
  EXPECT_EQ(read.owner, summary.owner);
  EXPECT_EQ(read.target, summary.target);
  EXPECT_EQ(read.target_identity, summary.target_identity);
  EXPECT_TRUE(read.function);
  EXPECT_EQ(read.state, summary.state);
  EXPECT_EQ(read.reason, summary.reason);
  EXPECT_EQ(read.created, summary.created);
  EXPECT_EQ(read.started, summary.started);
  EXPECT_EQ(read.finished, summary.finished);
  EXPECT_EQ(read.attempt, 3U);
  EXPECT_EQ(read.arguments, summary.arguments);
  EXPECT_EQ(read.tags, summary.tags);
  EXPECT_EQ(read.price, summary.price);
  EXPECT_EQ(read.node_time, summary.node_time);
}

TEST_F(IndexTest, ListsNewestFirst) {
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(CreateIndex(store_, Summary("k-" + std::to_string(i), i * 7 % 5), {}));
  }
  const auto jobs = NewestJobs(store_, 3, {});
  ASSERT_TRUE(jobs);
  ASSERT_THAT(*jobs, SizeIs(3));
  EXPECT_EQ((*jobs)[0].id, "k-2");
  EXPECT_EQ((*jobs)[1].id, "k-4");
  EXPECT_EQ((*jobs)[2].id, "k-1");
  const auto all = NewestJobs(store_, 0, {});
  ASSERT_TRUE(all);
  EXPECT_THAT(*all, SizeIs(5));
}

TEST_F(IndexTest, NeverUndoesProgress) {
  JobSummary summary = Summary("k-1");
  ASSERT_TRUE(CreateIndex(store_, summary, {}));
  summary.state = JobState::kRunning;
  summary.attempt = 1;
  ASSERT_TRUE(WriteIndex(store_, summary, {}));
  EXPECT_EQ(Newest().state, JobState::kRunning);
  ASSERT_TRUE(WriteIndex(store_, Summary("k-1"), {}));
  EXPECT_EQ(Newest().state, JobState::kRunning);
  summary.state = JobState::kPending;
  summary.attempt = 2;
  ASSERT_TRUE(WriteIndex(store_, summary, {}));
  EXPECT_EQ(Newest().attempt, 2U);
  summary.state = JobState::kSucceeded;
  ASSERT_TRUE(WriteIndex(store_, summary, {}));
  summary.state = JobState::kRunning;
  ASSERT_TRUE(WriteIndex(store_, summary, {}));
  EXPECT_EQ(Newest().state, JobState::kSucceeded);
}

TEST_F(IndexTest, RestoresNoEntryOfAnActiveJob) {
  JobSummary summary = Summary("k-1");
  summary.state = JobState::kRunning;
  ASSERT_TRUE(WriteIndex(store_, summary, {}));
  EXPECT_THAT(store_.Objects(), IsEmpty()) << "the job was removed";
}

TEST_F(IndexTest, ChangesNoObjectOfAShortJobTwice) {
  std::map<std::string, int> changes;
  store_.SetHook([&](std::string_view operation, std::string_view name) -> Status {
    if (operation == "put") ++changes[std::string(name)];
    return {};
  });
  for (const JobState end : {JobState::kSucceeded, JobState::kFailed, JobState::kCancelled,
                             JobState::kPreempted, JobState::kLost}) {
    JobSummary summary = Summary("k-" + std::string(Name(end)), static_cast<int>(changes.size()));
    ASSERT_TRUE(CreateIndex(store_, summary, {}));
    summary.state = end;
    ASSERT_TRUE(WriteIndex(store_, summary, {}));
    EXPECT_EQ(Newest().state, end);
  }
  EXPECT_THAT(changes, SizeIs(10));
  for (const auto& [name, count] : changes) EXPECT_EQ(count, 1) << name;
}

TEST_F(IndexTest, MergesTheEntriesOfAJob) {
  // Jobs of the same microsecond, whose entries are not adjacent.
  for (const std::string id : {"k", "k-1", "k-2", "l"}) {
    JobSummary summary = Summary(id);
    ASSERT_TRUE(CreateIndex(store_, summary, {}));
    if (id == "k-2") continue;
    summary.state = JobState::kSucceeded;
    ASSERT_TRUE(WriteIndex(store_, summary, {}));
  }
  JobSummary alone = Summary("m", -1);
  alone.state = JobState::kFailed;
  ASSERT_TRUE(WriteIndex(store_, alone, {}));
  const auto jobs = NewestJobs(store_, 0, {});
  ASSERT_TRUE(jobs);
  std::map<std::string, JobState> states;
  for (const JobSummary& job : *jobs) EXPECT_TRUE(states.emplace(job.id, job.state).second);
  EXPECT_EQ(states, (std::map<std::string, JobState>{{"k", JobState::kSucceeded},
                                                     {"k-1", JobState::kSucceeded},
                                                     {"k-2", JobState::kPending},
                                                     {"l", JobState::kSucceeded},
                                                     {"m", JobState::kFailed}}));
  const auto two = NewestJobs(store_, 2, {});
  ASSERT_TRUE(two);
  EXPECT_THAT(*two, SizeIs(2));
  ASSERT_TRUE(RemoveIndex(store_, alone.created, "m", {}));
  EXPECT_THAT(store_.Objects(), SizeIs(7));
}

TEST_F(IndexTest, TruncatesLongTexts) {
  JobSummary summary = Summary("k-1");
  std::string umlauts;
  for (int i = 0; i < 5000; ++i) umlauts += "ü";
  summary.name = summary.owner = summary.target = summary.reason = umlauts;
  ASSERT_TRUE(CreateIndex(store_, summary, {}));
  EXPECT_THAT(Newest().reason, EndsWith("ü…"));
  summary.reason = std::string(3000, '\xff');
  ASSERT_TRUE(WriteIndex(store_, summary, {}));
  EXPECT_THAT(Newest().reason, EndsWith("…"));
}

TEST_F(IndexTest, LongListsAndTextsFitTogether) {
  JobSummary summary = Summary("k-1");
  const std::string text(5000, 'x');
  summary.name = summary.owner = summary.target = summary.reason = summary.nonce = text;
  summary.target_identity = summary.accelerator = std::string(256, 'x');
  summary.arguments = std::vector<std::string>(50, "epochs=3");
  summary.tags = {{"text", std::string(380, 'x')}};
  summary.started = summary.finished = summary.created;
  summary.tasks = TaskCounts{.tasks = 100'000, .failed = 99'999, .cancelled = 99'999};
  summary.price = JobPrice{"northamerica-northeast1", Provisioning::kFlexStart,
                           Price{1234.56789012345678, "2026-11-28"}};
  summary.node_time = kMaxNodeTime;
  ASSERT_TRUE(CreateIndex(store_, summary, {}));
  EXPECT_EQ(Newest().arguments.front(), "epochs=3");
  EXPECT_EQ(Newest().arguments.back(), "…");
  EXPECT_EQ(Newest().tags, summary.tags);
}

TEST_F(IndexTest, SkipsInvalidEntries) {
  ASSERT_TRUE(store::PutBytes(store_, "index/0-junk", "", store::Precondition::Absent(), {}));
  ASSERT_TRUE(store::PutBytes(store_, "index/1-junk", "", store::Precondition::Absent(), {},
                              {{"id", "x"}, {"state", "dreaming"}}));
  ASSERT_TRUE(CreateIndex(store_, Summary("k-1"), {}));
  EXPECT_EQ(Newest().id, "k-1");
}

TEST_F(IndexTest, RemovesAnEntry) {
  const JobSummary summary = Summary("k-1");
  ASSERT_TRUE(CreateIndex(store_, summary, {}));
  ASSERT_TRUE(RemoveIndex(store_, summary.created, "k-1", {}));
  ASSERT_TRUE(RemoveIndex(store_, summary.created, "k-1", {}));
  const auto jobs = NewestJobs(store_, 0, {});
  ASSERT_TRUE(jobs);
  EXPECT_THAT(*jobs, IsEmpty());
}

}  // namespace
}  // namespace kinetic::record
