#include "base/hash/digest.h"
#include "job/lifecycle/outcome.h"
#include "record/index.h"
#include "record/object_names.h"
#include "support/memory_store.h"
#include "unit/job/fake_target.h"

#include <gmock/gmock.h>

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kinetic::job {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

/// Returns the requests to the store that a wait for an ended job on a cluster sends.
std::vector<std::string> RequestsOfWait(bool is_indexed) {
  std::mutex mutex;
  std::vector<std::string> requests;
  {
    test::FakeContext context;
    context.target().is_cluster = true;
    const auto store = std::make_shared<test::MemoryStore>(context.clock());
    context->store = store;
    JobSummary job = record::SummaryOf(context.Submit("j", "job", "fake:here", "n1"));
    context->nonces.Set("j", job.nonce);
    context.StoreResult("j", JobState::kSucceeded);
    const JobSummary submitted = job;
    job.state = JobState::kSucceeded;
    if (is_indexed) {
      EXPECT_TRUE(record::CreateIndex(*store, job, {}));
    }
    store->SetHook([&](std::string_view operation, std::string_view name) -> Status {
      if (operation == "stored") return {};  // the end of a put
      const std::lock_guard lock(mutex);
      requests.push_back(std::string(operation) + " " + std::string(name));
      return {};
    });
    EXPECT_TRUE(AwaitOutcome(*context, "j", nullptr, {.known = submitted}, {}));
  }  // waits for the cleanup
  return requests;
}

TEST(WaitTest, SendsOneStoreRequestAfterResultOfClusterJob) {
  EXPECT_THAT(RequestsOfWait(true),
              ElementsAre("get jobs/j/result.json", StartsWith("put index/")));
}

TEST(WaitTest, AddsEndToIndexWithOneRequest) {
  EXPECT_THAT(RequestsOfWait(false),
              ElementsAre("get jobs/j/result.json", StartsWith("put index/")));
}

/// The caller prints the value at once, and then waits for the cleanup.
TEST(WaitTest, CleansUpClusterJobWhileValueIsRead) {
  test::FakeContext context;
  context.target().is_cluster = true;
  const auto store = std::make_shared<test::MemoryStore>(context.clock());
  context->store = store;
  const JobSummary job = record::SummaryOf(context.Submit("j", "job", "fake:here", "n1"));
  context->nonces.Set("j", job.nonce);
  record::StoredOutcome stored;
  stored.job = {"j", "n1"};
  stored.outcome.state = JobState::kSucceeded;
  stored.value = Sha256::Of("7");
  stored.moments.push_back({"finished", context.clock().Now(), {}});
  EXPECT_TRUE(store::Overwrite(*store, record::ResultName("j"), record::ToJson(stored), {}));
  EXPECT_TRUE(store::Overwrite(*store, record::ValueName(record::RunKey("j")), "7", {}));
  std::promise<void> indexed;
  store->SetHook([&](std::string_view operation, std::string_view name) -> Status {
    if (operation == "put" && name.starts_with("index/")) indexed.set_value();
    if (operation != "get" || !name.ends_with("value.json")) return {};
    constexpr std::chrono::minutes kLimit{1};
    EXPECT_EQ(indexed.get_future().wait_for(kLimit), std::future_status::ready);
    return {};
  });
  const auto outcome = AwaitOutcome(*context, "j", nullptr, {.known = job}, {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->value.ToJson(), "7");
}

}  // namespace
}  // namespace kinetic::job
