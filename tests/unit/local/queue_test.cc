#include "local/queue.h"

#include "base/time/clock.h"
#include "local/pulse.h"
#include "local/runtime.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace kinetic::local {
namespace {

/// Waits as a supervisor does that a stop token ends.
std::function<Status(std::chrono::milliseconds)> PauseUntil(std::stop_token stop = {}) {
  return [stop](std::chrono::milliseconds time) { return SystemClock().Sleep(time, stop); };
}

QueueTicket TakeTicket(const test::TempTree& tree, std::string_view id) {
  std::filesystem::create_directories(tree / "jobs" / std::string(id));
  auto ticket = QueueTicket::Take(PosixFileSystem(), tree.path(), id);
  EXPECT_TRUE(ticket) << ticket.error().message;
  return *std::move(ticket);
}

TEST(Queue, CountsEarlierTickets) {
  const test::TempTree tree;
  std::optional<QueueTicket> first = TakeTicket(tree, "a");
  const QueueTicket second = TakeTicket(tree, "b");
  const QueueTicket third = TakeTicket(tree, "c");
  EXPECT_EQ(*first->CountAhead(1), 0U);
  EXPECT_EQ(*second.CountAhead(1), 1U);
  EXPECT_EQ(*third.CountAhead(1), 2U);
  first.reset();
  EXPECT_EQ(*third.CountAhead(1), 1U);
}

TEST(Queue, QueuesBehindARunningJob) {
  const test::TempTree tree;
  std::optional<QueueTicket> first = TakeTicket(tree, "a");
  const QueueTicket second = TakeTicket(tree, "b");
  first.reset();
  const QueueTicket third = TakeTicket(tree, "c");
  EXPECT_EQ(second.CountAhead(1).value(), 0U);
  EXPECT_EQ(third.CountAhead(1).value(), 1U);
}

TEST(Queue, ChecksLocksUntilEnoughAreHeld) {
  const test::TempTree tree;
  const QueueTicket first = TakeTicket(tree, "a");
  const std::string dead = std::string(19, '0') + "2-dead";
  tree.Write("queue/" + dead, "");
  ASSERT_EQ(QueueFolder(tree.path()), tree.path() / "queue");
  const QueueTicket second = TakeTicket(tree, "b");  // removes the dead ticket
  EXPECT_EQ(second.CountAhead(1).value(), 1U);
  tree.Write("queue/" + dead, "");
  EXPECT_EQ(second.CountAhead(1).value(), 2U);
  EXPECT_EQ(second.CountAhead(2).value(), 1U);
}

TEST(Queue, ReportsForHowManyJobsItWaits) {
  const test::TempTree tree;
  std::optional<QueueTicket> first = TakeTicket(tree, "a");
  std::optional<QueueTicket> second = TakeTicket(tree, "b");
  const QueueTicket third = TakeTicket(tree, "c");
  std::vector<std::string> reported;
  std::promise<void> one_left;
  auto waiting = std::async(std::launch::async, [&] {
    return third.Await(
        1,
        [&](std::string_view reason) {
          reported.emplace_back(reason);
          if (reason.starts_with("waiting for 1 ")) one_left.set_value();
        },
        PauseUntil());
  });
  first.reset();
  one_left.get_future().wait();
  second.reset();
  EXPECT_TRUE(waiting.get());
  EXPECT_EQ(reported.back(), "waiting for 1 job; concurrency is 1");
}

TEST(Queue, StopsWaitingOnRequestFarFromTheFront) {
  const test::TempTree tree;
  std::vector<QueueTicket> tickets;
  for (int i = 0; i < 20; ++i) tickets.push_back(TakeTicket(tree, std::to_string(i)));
  EXPECT_EQ(tickets.back().CountAhead(3).value(), 19U);
  std::stop_source source;
  std::string reported;
  auto waiting = std::async(std::launch::async, [&] {
    return tickets.back().Await(
        3, [&](std::string_view reason) { reported = reason; }, PauseUntil(source.get_token()));
  });
  source.request_stop();
  EXPECT_EQ(waiting.get().error().code, ErrorCode::kCancelled);
  EXPECT_EQ(reported, "waiting for 17 jobs; concurrency is 3");
}

TEST(Queue, KeepsOrderBehindManyLiveTickets) {
  const test::TempTree tree;
  std::vector<QueueTicket> tickets;
  for (int i = 0; i < 20; ++i) tickets.push_back(TakeTicket(tree, std::to_string(i)));
  const std::string dead = "queue/" + std::string(18, '0') + "19-dead";
  tree.Write(dead, "");  // not among the first tickets, so it stays
  const QueueTicket last = TakeTicket(tree, "last");
  EXPECT_TRUE(std::filesystem::exists(tree / dead));
  EXPECT_EQ(last.CountAhead(1).value(), 21U);
  tickets.clear();
  EXPECT_EQ(last.CountAhead(1).value(), 0U);
}

TEST(Queue, StopsWaitingOnRequest) {
  const test::TempTree tree;
  const QueueTicket first = TakeTicket(tree, "a");
  const QueueTicket second = TakeTicket(tree, "b");
  std::stop_source source;
  auto waiting = std::async(std::launch::async, [&] {
    return second.Await(
        1, [&](std::string_view) { source.request_stop(); }, PauseUntil(source.get_token()));
  });
  EXPECT_EQ(waiting.get().error().code, ErrorCode::kCancelled);
}

TEST(Queue, IgnoresSupervisorsThatDoNotRespond) {
  const test::TempTree tree;
  const QueueTicket silent = TakeTicket(tree, "silent");
  const QueueTicket removed = TakeTicket(tree, "removed");
  const QueueTicket fresh = TakeTicket(tree, "fresh");
  const QueueTicket last = TakeTicket(tree, "last");
  EXPECT_EQ(last.CountAhead(9).value(), 3U);
  tree.Write("jobs/silent/pulse", "00000000000000000001\n");
  std::filesystem::remove(tree / "jobs/removed");
  EXPECT_TRUE(Pulse(PosixFileSystem(), RuntimeOf(tree.path(), "fresh")).Beat());
  EXPECT_EQ(last.CountAhead(9).value(), 1U);
}

TEST(Queue, IgnoresTicketsOfDeadOwners) {
  const test::TempTree tree;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    std::filesystem::create_directories(tree / "jobs/dead");
    auto ticket = QueueTicket::Take(PosixFileSystem(), tree.path(), "dead");
    (void)!::write(ready[1], "x", 1);
    ::pause();
  }
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const QueueTicket second = TakeTicket(tree, "b");
  EXPECT_EQ(second.CountAhead(1).value(), 1U);
  auto waiting = std::async(std::launch::async, [&] { return second.Await(1, {}, PauseUntil()); });
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  EXPECT_TRUE(waiting.get());
  const QueueTicket third = TakeTicket(tree, "c");
  EXPECT_EQ(third.CountAhead(1).value(), 1U);
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace kinetic::local
