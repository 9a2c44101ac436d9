#include "job/lifecycle/outcome.h"
#include "record/index.h"
#include "record/object_names.h"
#include "support/memory_store.h"
#include "unit/job/fake_target.h"

#include <gmock/gmock.h>

#include <mutex>

namespace kinetic::job {
namespace {

using ::testing::UnorderedElementsAre;

TEST(WaitTest, SendsOneStoreRequestAfterResultOfClusterJob) {
  std::mutex mutex;
  std::vector<std::string> requests;
  WallTime created;
  {
    test::FakeContext context;
    context.target().is_cluster = true;
    const auto store = std::make_shared<test::MemoryStore>(context.clock());
    context->store = store;
    created = context.Submit("j").created;
    context.StoreResult("j", JobState::kSucceeded);
    JobSummary ended;
    ended.id = "j";
    ended.state = JobState::kSucceeded;
    ended.created = created;
    ASSERT_TRUE(record::CreateIndex(*store, ended, {}));
    ASSERT_TRUE(ReadResult(*context, "j", {}));
    store->SetHook([&](std::string_view operation, std::string_view name) -> Status {
      const std::lock_guard lock(mutex);
      requests.push_back(std::string(operation) + " " + std::string(name));
      return {};
    });
    ASSERT_TRUE(AwaitOutcome(*context, "j", nullptr, {.created = created}, {}));
  }  // waits for the cleanup
  EXPECT_THAT(requests,
              UnorderedElementsAre("get jobs/j/result.json",
                                   "get jobs/j/record.json",  // the test's record has no nonce
                                   "stat " + record::EndedIndexName(created, "j")));
}

}  // namespace
}  // namespace kinetic::job
