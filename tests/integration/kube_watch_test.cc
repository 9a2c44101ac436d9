#include "integration/kube_harness.h"
#include "kube/object.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace kinetic::test {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::UnorderedElementsAreArray;
using Words = std::vector<std::string>;

class KubeWatchClusterTest : public KubeClusterTest {
 protected:
  /// Sends directly to the server, not through the proxy.
  void SetUp() override {
    KubeClusterTest::SetUp();
    if (IsSkipped()) return;
    direct_transport_ = MakeTransport(true);
    auto options = Options(cluster().server());
    options.stall_timeout = seconds(30);
    direct_ = std::make_unique<kube::Client>(*direct_transport_, SystemClock(), options);
  }
  void TearDown() override {
    direct_.reset();
    direct_transport_.reset();
    KubeClusterTest::TearDown();
  }
  std::string Make(const std::string& name) const {
    const auto made = direct_->Create(kConfigMaps, name_space(), ConfigMap(name), {});
    EXPECT_TRUE(made) << made.error().message;
    return "+" + name + " " + std::string(kube::ResourceVersionOf(made->object));
  }
  std::string Change(const std::string& name, const std::string& text) const {
    const auto changed =
        direct_->Patch(kConfigMaps, name_space(), name,
                       *Value::FromJson(R"({"data":{"text":")" + text + R"("}})"), {});
    EXPECT_TRUE(changed && *changed);
    return "+" + name + " " + std::string(kube::ResourceVersionOf(**changed));
  }
  std::string Remove(const std::string& name) const {
    EXPECT_TRUE(*direct_->Delete(kConfigMaps, name_space(), name, {}, {}));
    return "-" + name;
  }
  /// Returns the events without those of objects that every namespace has, and without trouble.
  static Words Changes(const Words& told) {
    Words changes;
    std::copy_if(told.begin(), told.end(), std::back_inserter(changes), [](const auto& word) {
      return !word.starts_with("+kube-root") && word != "trouble" && word != "well";
    });
    return changes;
  }

  std::unique_ptr<http::Transport> direct_transport_;
  std::unique_ptr<kube::Client> direct_;
};

TEST_F(KubeWatchClusterTest, ReportsEveryChangeOnce) {
  Words expected{Make("a"), "synced"};
  RecordingWatch watch(client(), kConfigMaps, name_space());
  ASSERT_TRUE(watch.AwaitLast("synced"));
  for (const char* text : {"1", "2", "3"}) expected.push_back(Change("a", text));
  expected.push_back(Make("b"));
  expected.push_back(Remove("a"));
  ASSERT_TRUE(watch.AwaitLast("-a"));
  EXPECT_EQ(Changes(watch.Events()), expected);
  EXPECT_EQ(watch.Stop().code, ErrorCode::kCancelled);
}

TEST_F(KubeWatchClusterTest, InterruptionsLoseAndRepeatNothing) {
  Words expected{"synced"};
  RecordingWatch watch(client(), kConfigMaps, name_space());
  ASSERT_TRUE(watch.AwaitLast("synced"));
  expected.push_back(Make("a"));
  for (int i = 0; i < 20; ++i) {
    proxy().ResetConnections();
    expected.push_back(Change("a", std::to_string(i)));
    if (i % 5 == 0) {
      ASSERT_TRUE(watch.AwaitLast(expected.back()));
    }
  }
  ASSERT_TRUE(watch.AwaitLast(expected.back()));
  EXPECT_EQ(Changes(watch.Events()), expected);
}

TEST_F(KubeWatchClusterTest, ReportsDifferenceAfterLongInterruption) {
  Words expected{Make("a"), Make("b"), Make("c"), "synced"};
  RecordingWatch watch(client(), kConfigMaps, name_space());
  ASSERT_TRUE(watch.AwaitLast("synced"));
  proxy().RefuseConnections(true);
  proxy().ResetConnections();
  ASSERT_TRUE(watch.AwaitLast("trouble"));
  Remove("a");
  Change("b", "1");
  // A restarted server does not know the version from which the watch would continue.
  cluster().Command({"apiserver", "stop"});
  cluster().Command({"apiserver", "start"});
  CompactHistory();
  const std::string b = Change("b", "2");
  const std::string d = Make("d");
  proxy().RefuseConnections(false);
  ASSERT_TRUE(watch.Await(
      [](const Words& told) { return std::find(told.begin(), told.end(), "-a") != told.end(); }));
  const std::string last = Change("d", "1");
  ASSERT_TRUE(watch.AwaitLast(last));
  expected.insert(expected.end(), {b, d, "-a", last});
  EXPECT_EQ(Changes(watch.Events()), expected);
  EXPECT_THAT(watch.Events(), Contains("well"));
}

TEST_F(KubeWatchClusterTest, SurvivesRestartOfServer) {
  Words expected{Make("a"), "synced"};
  RecordingWatch watch(client(), kConfigMaps, name_space());
  ASSERT_TRUE(watch.AwaitLast("synced"));
  cluster().Command({"apiserver", "stop"});
  std::thread starting([&] { cluster().Command({"apiserver", "start"}); });
  // Sent while no watch is connected.
  expected.push_back(Make("b"));
  starting.join();
  expected.push_back(Change("a", "1"));
  // A list is ordered by name, a stream by time.
  ASSERT_TRUE(
      watch.Await([&](const Words& told) { return Changes(told).size() == expected.size(); }));
  EXPECT_THAT(Changes(watch.Events()), UnorderedElementsAreArray(expected));
}

TEST_F(KubeWatchClusterTest, DetectsDeadSharedConnection) {
  const std::string a = Make("a");
  RecordingWatch watch(client(), kConfigMaps, name_space(), {.idle_timeout = seconds(3)});
  RecordingWatch other(client(), kube::kSecrets, name_space(), {.idle_timeout = seconds(600)});
  ASSERT_TRUE(watch.AwaitLast("synced"));
  ASSERT_TRUE(other.AwaitLast("synced"));
  proxy().SilenceConnections();
  const std::string last = Change("a", "1");
  ASSERT_TRUE(watch.AwaitLast(last));
  const auto got = client().Get(kConfigMaps, name_space(), "a", {});
  ASSERT_TRUE(got) << got.error().message;
  const auto secret = direct_->Create(
      kube::kSecrets, name_space(),
      *Value::FromJson(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}})"), {});
  ASSERT_TRUE(secret) << secret.error().message;
  EXPECT_TRUE(other.AwaitLast("+s "));
}

TEST_F(KubeWatchClusterTest, ReadsLargeObjects) {
  const auto made = direct_->Create(kConfigMaps, name_space(),
                                    ConfigMap("large", std::string(1'000'000, 'x')), {});
  ASSERT_TRUE(made) << made.error().message;
  RecordingWatch watch(client(), kConfigMaps, name_space());
  ASSERT_TRUE(watch.AwaitLast("synced"));
  for (int i = 0; i < 5; ++i) {
    const auto changed =
        direct_->Patch(kConfigMaps, name_space(), "large",
                       *Value::FromJson(R"({"data":{"n":")" + std::to_string(i) + R"("}})"), {});
    ASSERT_TRUE(changed && *changed);
    ASSERT_TRUE(watch.AwaitLast("+large " + std::string(kube::ResourceVersionOf(**changed))));
  }
}

}  // namespace
}  // namespace kinetic::test
