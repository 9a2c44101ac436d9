#include "job/find.h"

#include "fake_target.h"
#include "job/lifecycle/outcome.h"
#include "job/summary.h"
#include "record/index.h"
#include "record/object_names.h"

#include <gmock/gmock.h>

#include <cerrno>

namespace kinetic::job {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class WarningList : public Observer {
 public:
  void OnWarning(std::string_view message) override { heard.emplace_back(message); }
  std::vector<std::string> heard;
};

class FindTest : public ::testing::Test {
 protected:
  void Submit(const std::string& id, const std::string& name = "job") {
    context_.Submit(id, name);
    context_.clock().Advance(std::chrono::seconds(1));
  }
  std::vector<std::string> List(const ListOptions& options = {}) {
    std::vector<std::string> ids;
    const auto jobs = ListJobs(context_.clusters(), options, {});
    for (const auto& job : *jobs) ids.push_back(job.id);
    return ids;
  }

  test::FakeContext context_;
};

TEST_F(FindTest, RejectsInvalidIds) {
  for (const char* id : {"a", "k-123", "abcdefgh234567xy", "0"}) EXPECT_TRUE(CheckJobId(id)) << id;
  const std::string longest(50, 'a');
  EXPECT_TRUE(CheckJobId(longest));
  for (const std::string& id :
       {std::string(), longest + "a", std::string("A"), std::string("a/b"), std::string(".."),
        std::string("a_b"), std::string("-a"), std::string("a-"), std::string("a\n")}) {
    EXPECT_FALSE(CheckJobId(id)) << id;
  }
}

TEST_F(FindTest, ListsNewestFirst) {
  Submit("a");
  Submit("b");
  Submit("c");
  EXPECT_THAT(List(), ElementsAre("c", "b", "a"));
  EXPECT_THAT(List({.limit = 2}), ElementsAre("c", "b"));
  EXPECT_THAT(List({.limit = 0}), IsEmpty());
}

TEST_F(FindTest, ListsByNameAndState) {
  Submit("a", "one");
  Submit("b", "two");
  Submit("c", "one");
  context_.StoreResult("c", JobState::kFailed);
  EXPECT_THAT(List({.name = "one"}), ElementsAre("c", "a"));
  EXPECT_THAT(List({.state = JobState::kFailed}), ElementsAre("c"));
  EXPECT_THAT(List({.limit = 1, .state = JobState::kPending}), ElementsAre("b"));
}

TEST_F(FindTest, StoresObservedTerminalState) {
  Submit("a");
  context_.StoreResult("a", JobState::kSucceeded);
  EXPECT_THAT(List({.state = JobState::kSucceeded}), ElementsAre("a"));
  EXPECT_EQ(record::NewestJobs(context_.store(), 0, {})->front().state, JobState::kSucceeded);
}

TEST_F(FindTest, FindsByUniquePrefix) {
  Submit("abc");
  Submit("abd");
  Submit("ab");
  EXPECT_EQ(FindJob(*context_, "abc", {})->id, "abc");
  EXPECT_EQ(FindJob(*context_, "ab", {})->id, "ab");
  const auto several = FindJob(*context_, "a", {});
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(several.error().message, HasSubstr("3 jobs"));
  EXPECT_EQ(FindJob(*context_, "x", {}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(FindJob(*context_, "../a", {}).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(FindTest, FindsByNameAndAsLatest) {
  Submit("aa", "nap");
  Submit("ab", "nap");
  Submit("b", "walk");
  const auto found = [&](const std::string& word) {
    const auto job = FindJob(*context_, word, {});
    return job ? job->id : job.error().message;
  };
  EXPECT_EQ(found("nap"), "ab");
  EXPECT_EQ(found("latest"), "b");
  EXPECT_EQ(found("aa"), "aa");
  EXPECT_EQ(FindJob(*context_, "nep", {}).error().hint, "did you mean 'nap'?");
  EXPECT_EQ(FindJob(*context_, std::string(63, 'a'), {}).error().code, ErrorCode::kNotFound);
}

TEST_F(FindTest, ListsUniquePrefixes) {
  Submit("aab");
  Submit("aac");
  Submit("b");
  std::vector<std::string> prefixes;
  const auto jobs = ListJobs(context_.clusters(), {.limit = 2, .unique_prefixes = true}, {});
  for (const auto& job : *jobs) prefixes.push_back(job.unique_prefix);
  EXPECT_THAT(prefixes, ElementsAre("b", "aac"));
}

TEST_F(FindTest, FindsNewestJobByName) {
  Submit("a", "one");
  Submit("b", "one");
  Submit("c", "two");
  EXPECT_EQ((*FindNewestJob(*context_, "one", {}))->id, "b");
  EXPECT_FALSE(*FindNewestJob(*context_, "three", {}));
}

TEST_F(FindTest, OmitsOldEntryWithoutRecord) {
  JobSummary entry;
  entry.id = "orphan";
  entry.created = context_.clock().Now();
  ASSERT_TRUE(record::CreateIndex(context_.store(), entry, {}));
  EXPECT_THAT(List(), ElementsAre("orphan")) << "its record may still be written";
  context_.clock().Advance(std::chrono::minutes(2));
  EXPECT_THAT(List(), IsEmpty());
}

TEST_F(FindTest, IgnoresDuplicateIndexEntry) {
  JobSummary entry;
  entry.id = "abc";
  entry.created = context_.clock().Now();
  ASSERT_TRUE(record::CreateIndex(context_.store(), entry, {}));
  context_.clock().Advance(std::chrono::seconds(1));
  Submit("abc");
  EXPECT_THAT(List(), ElementsAre("abc"));
  const auto found = FindJob(*context_, "ab", {});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->created, ListJobs(context_.clusters(), {}, {})->front().created);
  EXPECT_NE(found->created, entry.created);
}

TEST_F(FindTest, RemovesAllObjectsExceptOutputs) {
  Submit("a");
  context_.StoreSegment("a", 0, {"x"});
  context_.StoreResult("a", JobState::kSucceeded);
  ASSERT_TRUE(store::PutBytes(context_.store(), record::OutputName("a", "model"), "m",
                              store::Precondition::Absent(), {}));
  for (const std::string_view id : {"a", "ab"}) {
    ASSERT_TRUE(store::PutBytes(context_.store(), record::CheckpointName(id, 3), "c",
                                store::Precondition::Absent(), {}));
  }
  const JobSummary job = *FindJob(*context_, "a", {});
  ASSERT_TRUE(RemoveJob(*context_, job, {}));
  std::vector<std::string> left;
  const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
    left.push_back(info.name);
    return true;
  };
  ASSERT_TRUE(context_.store().List("", "", take, {}));
  EXPECT_THAT(left, ElementsAre("checkpoints/ab/000000000003", "format.json", "outputs/a/model"));
}

TEST_F(FindTest, ListsAndRemovesJobWhoseResultsDoNotFit) {
  Submit("a");
  Submit("b");
  auto& job = context_.target().jobs["a"];
  job.lost = "its supervisor is gone";
  job.was_started = true;
  context_.target().before_collect = [](const std::stop_token&) -> Status {
    return Failure(ErrnoError(ENOSPC, "writing", "/store/outputs/a/big"));
  };
  WarningList warnings;
  EXPECT_THAT(List({.observer = &warnings}), ElementsAre("b", "a"));
  EXPECT_THAT(warnings.heard, ElementsAre(AllOf(HasSubstr("job a has ended"), HasSubstr("no space"),
                                                HasSubstr("rm --force a"))));
  const JobSummary summary = *FindJob(*context_, "a", {});
  const auto waited = AwaitOutcome(*context_, "a", nullptr, {}, {});
  ASSERT_FALSE(waited);
  EXPECT_THAT(waited.error().message, HasSubstr("its results are not stored"));
  const auto removed = RemoveJob(*context_, summary, {});
  ASSERT_FALSE(removed);
  EXPECT_THAT(removed.error().hint, HasSubstr("rm --force a"));
  ASSERT_TRUE(ForceRemoveJob(*context_, summary, nullptr, {}));
  EXPECT_THAT(List(), ElementsAre("b"));
  EXPECT_THAT(context_.target().jobs, IsEmpty());
}

TEST_F(FindTest, FindsAndRemovesJobWithoutIndexEntry) {
  Submit("a");
  const auto indexed = record::NewestJobs(context_.store(), 0, {});
  ASSERT_TRUE(
      record::RemoveIndex(context_.store(), indexed->front().created, indexed->front().id, {}));
  const auto found = FindJob(*context_, "a", {});
  ASSERT_TRUE(found) << found.error().message;
  context_.StoreResult("a", JobState::kSucceeded);
  ASSERT_TRUE(RemoveJob(*context_, *found, {}));
  EXPECT_FALSE(*context_.store().Stat(record::RecordName("a"), {}));
}

TEST_F(FindTest, RemovesEntryOfIncompleteSubmission) {
  Submit("a");
  ASSERT_TRUE(
      context_.store().RemoveIfUnchanged(**context_.store().Stat(record::RecordName("a"), {}), {}));
  const auto early = RemoveJob(*context_, *FindJob(*context_, "a", {}), {});
  ASSERT_FALSE(early);
  EXPECT_THAT(early.error().message, HasSubstr("its submission was interrupted"));
  context_.clock().Advance(kSubmissionTimeout + std::chrono::seconds(1));
  ASSERT_TRUE(RemoveJob(*context_, *FindJob(*context_, "a", {}), {}));
  EXPECT_THAT(*record::NewestJobs(context_.store(), 0, {}), IsEmpty());
}

TEST_F(FindTest, RefusesToRemoveRunningJob) {
  Submit("a");
  context_.target().jobs["a"].observation.alive = true;
  const auto removed = RemoveJob(*context_, *FindJob(*context_, "a", {}), {});
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(*context_.store().Stat(record::RecordName("a"), {}));
}

}  // namespace
}  // namespace kinetic::job
