#include "kube/client.h"
#include "kube/object.h"
#include "support/curl_transport.h"
#include "support/kube_server.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace kinetic::test {
namespace {

using std::chrono::milliseconds;

/// The events of a watch, checked against its guarantees.
class Told {
 public:
  Status Take(const kube::WatchEvent& event) {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
    if (event.kind == kube::WatchEvent::Kind::kSynced) {
      if (std::exchange(synced_, true)) problem_ = "synced twice";
      return {};
    }
    const std::string name(kube::NameOf(*event.object));
    const std::string uid(kube::UidOf(*event.object));
    const std::int64_t version = std::stoll(std::string(kube::ResourceVersionOf(*event.object)));
    const auto known = present_.find(name);
    if (event.kind == kube::WatchEvent::Kind::kDeleted) {
      if (known == present_.end() || known->second.first != uid) problem_ = "gone twice: " + name;
      if (known != present_.end()) present_.erase(known);
      return {};
    }
    if (known != present_.end() && known->second.first != uid) problem_ = "not gone: " + name;
    if (known != present_.end() && known->second.second >= version) problem_ = "old: " + name;
    present_[name] = {uid, version};
    return {};
  }
  bool AwaitPresent(const std::map<std::string, std::string>& expected) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return Present() == expected; });
  }
  std::string problem() const {
    const std::lock_guard lock(mutex_);
    return problem_;
  }

 private:
  std::map<std::string, std::string> Present() const {
    std::map<std::string, std::string> present;
    for (const auto& [name, object] : present_) {
      present[name] = object.first + " " + std::to_string(object.second);
    }
    return present;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::pair<std::string, std::int64_t>> present_;
  bool synced_ = false;
  std::string problem_;
};

class KubeWatchWithFaults : public testing::TestWithParam<unsigned> {};

TEST_P(KubeWatchWithFaults, LosesAndRepeatsNothing) {
  KubeServer server(GetParam());
  const auto transport = MakeTransport();
  const kube::Client client(*transport, SystemClock(), {.server = server.Url()});
  kube::WatchOptions options;
  options.idle_timeout = milliseconds(1000);
  options.retry.base = milliseconds(2);
  options.retry.cap = milliseconds(20);
  Told told;
  std::stop_source stop;
  std::thread watching([&] {
    const Status end = client.Watch(
        kube::kPods, "ml", {}, [&](const kube::WatchEvent& event) { return told.Take(event); },
        options, stop.get_token());
    EXPECT_EQ(end.error().code, ErrorCode::kCancelled) << end.error().message;
  });
  for (int rounds = 0; server.faults() < 40 && rounds < 5000; ++rounds) {
    for (int i = 0; i < 5; ++i) server.Change();
    std::this_thread::sleep_for(milliseconds(2));
  }
  server.DisableFaults();
  EXPECT_TRUE(told.AwaitPresent(server.Present()));
  EXPECT_EQ(told.problem(), "");
  EXPECT_GE(server.faults(), 40);
  stop.request_stop();
  watching.join();
}

INSTANTIATE_TEST_SUITE_P(Days, KubeWatchWithFaults, testing::Range(1U, 7U));

TEST(KubeWire, ListsCompletelyAfterExpiredTokens) {
  KubeServer server(3);
  for (int i = 0; i < 100; ++i) server.Change();
  const auto transport = MakeTransport();
  kube::ClientOptions options;
  options.server = server.Url();
  options.retry.base = milliseconds(1);
  const kube::Client client(*transport, SystemClock(), options);
  for (int i = 0; i < 30; ++i) {
    std::map<std::string, std::string> listed;
    const auto version = client.List(kube::kPods, "ml", {},
                                     [&](const Value& item) -> Status {
                                       listed[std::string(kube::NameOf(item))] =
                                           std::string(kube::UidOf(item)) + " " +
                                           std::string(kube::ResourceVersionOf(item));
                                       return {};
                                     },
                                     {});
    ASSERT_TRUE(version) << version.error().message;
    EXPECT_EQ(listed, server.Present());
  }
}

TEST(KubeWire, PassesLogOnWhileItIsWritten) {
  std::mutex mutex;
  std::condition_variable changed;
  std::string seen;
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    std::string expected;
    for (const char* piece : {"a", "bc", "d\n"}) {
      expected += piece;
      connection.Send((std::string(piece).size() == 1 ? "1\r\n" : "2\r\n") + std::string(piece) +
                      "\r\n");
      std::unique_lock lock(mutex);
      // Withheld lines would never arrive.
      ASSERT_TRUE(
          changed.wait_for(lock, std::chrono::seconds(30), [&] { return seen == expected; }));
    }
    connection.Send("0\r\n\r\n");
    connection.AwaitClose();
  });
  const auto transport = MakeTransport();
  const kube::Client client(*transport, SystemClock(), {.server = server.Url()});
  const auto end = client.ReadLog("ml", "p", {.follow = true},
                                  [&](std::string_view piece) -> Status {
                                    const std::lock_guard lock(mutex);
                                    seen += piece;
                                    changed.notify_all();
                                    return {};
                                  },
                                  {});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->reason, kube::LogEnd::Reason::kEnded);
  EXPECT_EQ(seen, "abcd\n");
}

}  // namespace
}  // namespace kinetic::test
