#include "kinetic/job_of.h"
#include "kinetic/waiting.h"

#include "local_project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

namespace kinetic::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kSleep = "sleep 600";

class LocalWaiting : public testing::Test {
 protected:
  Job Submit(Client& client, std::string_view line) const {
    const std::string file = "name: wait\nrun: \"" + std::string(line) + "\"\n";
    return Must(client.Submit(project_.Job(file)));
  }

  LocalProject project_;
};

TEST_F(LocalWaiting, DeliversJobsAsTheyEnd) {
  Client client = project_.Open();
  // The first job ends after the second, whose end it waits for.
  const std::string flag = (project_.Root() / "flag").native();
  const Job first = Submit(client, "until [ -e " + flag + " ]; do sleep 0.01; done; exit 3");
  const Job second = Submit(client, "exit 4");
  std::vector<std::size_t> order;
  const std::vector<Job> jobs{first, second};
  const Status waited = WaitEach(jobs, [&](EndedJob ended) -> Status {
    order.push_back(ended.index);
    if (ended.index == 1) project_.Write("flag", "");
    return {};
  });
  ASSERT_TRUE(waited) << waited.error().message;
  EXPECT_THAT(order, ElementsAre(1, 0));
  const auto outcomes = Must(WaitAll(jobs));  // they have ended before
  EXPECT_EQ(outcomes[0].exit_code, 3);
  EXPECT_EQ(outcomes[1].exit_code, 4);
  EXPECT_EQ(outcomes[1].job, second.id());
}

#if !defined(__SANITIZE_THREAD__)  // it reports the thread of the wait
TEST_F(LocalWaiting, ProgramExitsDuringAWait) {
  const auto exit_while_waiting = [&] {
    Client client = project_.Open();
    Submit(client, "exit 0").OnDone([](const Result<Outcome>&) {});
    std::exit(0);
  };
  // A crash would be a race with the thread that observes the job.
  for (int i = 0; i < 20; ++i) EXPECT_EXIT(exit_while_waiting(), testing::ExitedWithCode(0), "");
}

#endif

TEST_F(LocalWaiting, FirstOfSeveral) {
  Client client = project_.Open();
  const std::vector<Job> jobs{Submit(client, kSleep), Submit(client, "exit 0")};
  const EndedJob first = Must(WaitAny(jobs));
  EXPECT_EQ(first.index, 1U);
  EXPECT_EQ(first.outcome.state, JobState::kSucceeded);
  EXPECT_TRUE(jobs[0].Cancel());
  EXPECT_EQ(WaitAny({}).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(LocalWaiting, OneThreadServesManyJobs) {
  constexpr std::size_t kJobs = 60;
  project_.concurrency = 8;
  Client client = project_.Open();
  std::mutex mutex;
  std::set<std::string> done;
  std::set<std::thread::id> threads;
  std::promise<void> all;
  for (std::size_t i = 0; i < kJobs; ++i)
    Submit(client, "true").OnDone([&](Result<Outcome> outcome) {
      const std::lock_guard lock(mutex);
      if (outcome) {
        EXPECT_EQ(outcome->state, JobState::kSucceeded) << outcome->reason;
        done.insert(outcome->job);
      } else {
        ADD_FAILURE() << outcome.error().message;
      }
      threads.insert(std::this_thread::get_id());
      if (done.size() == kJobs) all.set_value();
    });
  ASSERT_EQ(all.get_future().wait_for(seconds(120)), std::future_status::ready);
  EXPECT_EQ(threads.size(), 1U);
}

TEST_F(LocalWaiting, StopEndsOnlyTheWait) {
  Client client = project_.Open();
  const Job job = Submit(client, kSleep);
  std::stop_source stop;
  auto stopped = WaitAsync(job, {.stop = stop.get_token()});
  auto other = WaitAsync(job);
  stop.request_stop();
  const auto outcome = stopped.get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kCancelled);
  EXPECT_NE(other.wait_for(seconds(0)), std::future_status::ready);
  EXPECT_FALSE(IsTerminal(Must(job.Summary()).state));
  EXPECT_TRUE(job.Cancel());
  EXPECT_EQ(Must(other.get()).state, JobState::kCancelled);
  // A token that was stopped before.
  EXPECT_FALSE(WaitAsync(job, {.stop = stop.get_token()}).get());
}

TEST_F(LocalWaiting, DeadlineEndsOnlyTheWait) {
  Client client = project_.Open();
  const Job job = Submit(client, kSleep);
  const auto now = std::chrono::steady_clock::now;
  const WaitOptions soon{.deadline = now() + milliseconds(20)};
  const std::vector jobs{job};
  std::promise<Result<Outcome>> done;
  job.OnDone([&](Result<Outcome> outcome) { done.set_value(std::move(outcome)); }, soon);
  for (const ErrorCode code :
       {job.Wait(soon).error().code, WaitAll(jobs, soon).error().code,
        WaitAny(jobs, soon).error().code, WaitAsync(job, soon).get().error().code,
        done.get_future().get().error().code, JobOf<int>(job).Get(soon).error().code,
        job.Logs({.follow = true, .deadline = soon.deadline},
                 [](const LogRecord&) { return Status(); })
            .error()
            .code})
    EXPECT_EQ(code, ErrorCode::kDeadlineExceeded);
  EXPECT_THAT(job.Wait(soon).error().details, ElementsAre(Pair("job", job.id())));
  EXPECT_FALSE(IsTerminal(Must(job.Summary()).state));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(job.Wait({.stop = stop.get_token(), .deadline = now() + seconds(60)}).error().code,
            ErrorCode::kCancelled);
  EXPECT_TRUE(job.Cancel());
  EXPECT_EQ(Must(job.Wait({.deadline = now() + seconds(60)})).state, JobState::kCancelled);
}

TEST_F(LocalWaiting, CallbackCannotWaitForOtherCallbacks) {
  Client client = project_.Open();
  std::promise<ErrorCode> code;
  const Job job = Submit(client, "true");
  job.OnDone(
      [&](const Result<Outcome>&) { code.set_value(WaitAll(std::vector{job}).error().code); });
  EXPECT_EQ(code.get_future().get(), ErrorCode::kFailedPrecondition);
}

TEST_F(LocalWaiting, EndsWithTheClient) {
  std::future<Result<Outcome>> future;
  std::string id;
  {
    Client client = project_.Open();
    const Job job = Submit(client, kSleep);
    id = job.id();
    future = WaitAsync(job);
  }
  const auto outcome = future.get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kCancelled);
  EXPECT_THAT(outcome.error().message, HasSubstr("the client was closed"));
  EXPECT_TRUE(Must(project_.Open().Find(id)).Cancel());
}

/// The callback owns the last handle and the client, which are destroyed after it on the thread
/// that called it.
TEST_F(LocalWaiting, CallbackDestroysTheClient) {
  auto client = std::make_shared<std::optional<Client>>(project_.Open());
  auto slow = std::make_shared<std::optional<Job>>(Submit(**client, kSleep));
  const std::string id = (*slow)->id();
  std::promise<void> first;
  std::promise<Error> second;
  Submit(**client, "true").OnDone([client, slow, &first](const Result<Outcome>& outcome) {
    EXPECT_TRUE(outcome);
    client->reset();
    slow->reset();
    first.set_value();
  });
  (*slow)->OnDone([&](const Result<Outcome>& outcome) {
    second.set_value(outcome ? Error{} : outcome.error());
  });
  client = nullptr;
  slow = nullptr;
  first.get_future().get();
  EXPECT_EQ(second.get_future().get().code, ErrorCode::kCancelled);
  EXPECT_TRUE(Must(project_.Open().Find(id)).Cancel());
}

}  // namespace
}  // namespace kinetic::test
