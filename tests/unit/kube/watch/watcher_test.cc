#include "kube/object.h"
#include "kube/options.h"
#include "unit/kube/scripted_client.h"

#include <vector>

namespace kinetic::test {
namespace {

using Words = std::vector<std::string>;

class KubeWatchTest : public KubeTest {
 protected:
  static std::string Line(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}\n";
  }
  static std::string Bookmark(const std::string& version) {
    return Line("BOOKMARK",
                R"({"kind":"Pod","metadata":{"resourceVersion":")" + version + R"("}})");
  }
  static std::string Expired() { return Refusal(410, "Expired", "too old resource version: 1"); }
  static Error Refused() {
    return {ErrorCode::kUnavailable, "connection refused", "", {{"sent", "nothing"}}};
  }

  /// Watches to the end of the script, which is an error that does not pass. @returns it.
  Error Watch(const kube::ListOptions& query = {}) {
    kube::WatchOptions options;
    options.on_health_change = [&](const Error* error) {
      told_.push_back(error != nullptr ? "trouble: " + error->message : "well");
    };
    const auto each = [&](const kube::WatchEvent& event) -> Status {
      if (event.kind == kube::WatchEvent::Kind::kSynced) {
        told_.emplace_back("synced");
        return {};
      }
      const bool present = event.kind == kube::WatchEvent::Kind::kUpdated;
      told_.push_back((present ? "+" : "-") + std::string(kube::NameOf(*event.object)) + " " +
                      std::string(kube::UidOf(*event.object)) + " " +
                      std::string(kube::ResourceVersionOf(*event.object)));
      return {};
    };
    return client_.Watch(kube::kPods, "ml", query, each, options, {}).error();
  }
  std::string VersionAsked(std::size_t request) const {
    const std::string url = transport_.sent().at(request).url;
    const std::size_t at = url.find("resourceVersion=");
    if (at == std::string::npos) return "list";
    const std::size_t begin = at + std::string_view("resourceVersion=").size();
    return url.substr(begin, url.find('&', begin) - begin);
  }

  Words told_;
};

TEST_F(KubeWatchTest, ListsThenWatches) {
  transport_.Answer(200, ListOf("9", Object("a", "1", "3"), "t"))
      .Answer(200, ListOf("9", Object("b", "2", "4")))
      .Answer(200, Line("MODIFIED", Object("a", "1", "10")) +
                       Line("ADDED", Object("c", "3", "11")) +
                       Line("DELETED", Object("b", "2", "12")) + Bookmark("20"));
  Watch({"l=1", "f=2"});
  EXPECT_EQ(told_, (Words{"+a 1 3", "+b 2 4", "synced", "+a 1 10", "+c 3 11", "-b 2 12"}));
  EXPECT_EQ(
      transport_.sent().at(2).url,
      "https://c/api/v1/namespaces/ml/pods?labelSelector=l%3D1&fieldSelector=f%3D2&watch=true&"
      "allowWatchBookmarks=true&resourceVersion=9&timeoutSeconds=300");
  EXPECT_EQ(VersionAsked(3), "20");
}

TEST_F(KubeWatchTest, ReconnectsWhenTheConnectionEnds) {
  transport_.Answer(200, ListOf("9", ""))
      .Cut(Line("ADDED", Object("a", "1", "10")) + R"({"type":"MODIFIED","obj)", Reset())
      .Answer(200, Line("MODIFIED", Object("a", "1", "11")))
      .Answer(200, Bookmark("15"));
  Watch();
  EXPECT_EQ(told_, (Words{"synced", "+a 1 10", "+a 1 11"}));
  EXPECT_EQ(VersionAsked(2), "10");
  EXPECT_EQ(VersionAsked(3), "11");
  EXPECT_EQ(VersionAsked(4), "15");
}

TEST_F(KubeWatchTest, ReportsOnlyTheDifferenceAfterAGap) {
  const std::string list = ListOf(
      "9", Object("a", "1", "3") + "," + Object("b", "2", "4") + "," + Object("c", "3", "5"));
  const std::string later = ListOf(
      "30", Object("a", "1", "3") + "," + Object("b", "22", "28") + "," + Object("d", "4", "29"));
  for (const bool in_stream : {false, true}) {
    ScriptedTransport transport;
    transport.Answer(200, list);
    if (in_stream) {
      transport.Answer(200, Line("ERROR", Expired()));
    } else {
      transport.Answer(410, Expired());
    }
    transport.Answer(200, later).Answer(200, Line("MODIFIED", Object("a", "1", "31")));
    const kube::Client client(transport, clock_, {.server = "https://c"});
    told_.clear();
    const auto each = [&](const kube::WatchEvent& event) -> Status {
      const bool present = event.kind == kube::WatchEvent::Kind::kUpdated;
      const Value none;
      const Value& object = event.object != nullptr ? *event.object : none;
      told_.push_back((present ? "+" : "-") + std::string(kube::NameOf(object)) +
                      std::string(kube::UidOf(object)) + "/" +
                      std::string(kube::NamespaceOf(object)));
      return {};
    };
    bool trouble = false;
    std::ignore = client.Watch(kube::kPods, "", {}, each,
                               {.on_health_change = [&](const Error*) { trouble = true; }}, {});
    // The first three and the mark; then b is another one, d is new and c has gone.
    EXPECT_EQ(told_, (Words{"+a1/ml", "+b2/ml", "+c3/ml", "-/", "-b2/ml", "+b22/ml", "+d4/ml",
                            "-c3/ml", "+a1/ml"}));
    EXPECT_FALSE(trouble);
  }
}

TEST_F(KubeWatchTest, ReportsARepeatedEventOnce) {
  transport_.Answer(200, ListOf("9", Object("a", "1", "3")))
      .Answer(200, Line("ADDED", Object("a", "1", "3")) + Line("DELETED", Object("a", "1", "4")) +
                       Line("DELETED", Object("a", "1", "4")));
  Watch();
  EXPECT_EQ(told_, (Words{"+a 1 3", "synced", "-a 1 4"}));
}

TEST_F(KubeWatchTest, WaitsForAnUnavailableServerAndReportsItOnce) {
  const auto start = clock_.Steady();
  transport_.Fail(Refused()).Fail(Refused()).Answer(503, "starting").Answer(200, ListOf("9", ""));
  transport_.Answer(200, Bookmark("10"));
  for (int i = 0; i < 40; ++i) transport_.Fail(Refused());
  transport_.Answer(200, Bookmark("11"));
  Watch();
  EXPECT_EQ(told_.at(0), "trouble: watching pods in namespace ml: connection refused");
  EXPECT_EQ(told_.at(1), "well");
  EXPECT_EQ(told_.at(2), "synced");
  EXPECT_EQ(told_.at(3), told_.at(0));
  EXPECT_EQ(told_.at(4), "well");
  EXPECT_TRUE(transport_.Done());
  EXPECT_LE(clock_.Steady() - start, std::chrono::seconds(45 * 3));
}

TEST_F(KubeWatchTest, HonorsRetryAfter) {
  transport_.Answer(200, ListOf("9", "")).Answer(429, "", {{"Retry-After", "9"}});
  const auto start = clock_.Steady();
  Watch();
  EXPECT_GE(clock_.Steady() - start, std::chrono::seconds(9));
}

TEST_F(KubeWatchTest, EndsOnPermanentErrors) {
  const std::string denied = Refusal(
      403, "Forbidden",
      R"(pods is forbidden: User "u" cannot list resource "pods" in API group "" in the namespace "ml")");
  transport_.Answer(403, denied);
  EXPECT_EQ(Watch().code, ErrorCode::kPermissionDenied);
  transport_.Answer(401, "");
  EXPECT_EQ(Watch().code, ErrorCode::kUnauthenticated);
  transport_.Answer(404, "404 page not found");
  EXPECT_EQ(Watch().code, ErrorCode::kUnimplemented);
  transport_.Answer(200, ListOf("9", "")).Answer(403, denied);
  EXPECT_EQ(Watch().code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(transport_.Done());
}

TEST_F(KubeWatchTest, RetriesRejectionsWhileTheServerStarts) {
  transport_.Answer(200, ListOf("9", "")).Answer(200, Bookmark("10"));
  transport_.Answer(403, "RBAC: role not found").Answer(404, "404 page not found");
  transport_.Answer(200, Line("ADDED", Object("a", "1", "12")));
  const auto start = clock_.Steady();
  for (int i = 0; i < 1000; ++i) transport_.Answer(403, "RBAC: role not found");
  EXPECT_EQ(Watch().code, ErrorCode::kPermissionDenied);
  EXPECT_NE(std::find(told_.begin(), told_.end(), "+a 1 12"), told_.end());
  EXPECT_GE(clock_.Steady() - start, std::chrono::seconds(20));
  EXPECT_LE(clock_.Steady() - start, std::chrono::seconds(60));
}

TEST_F(KubeWatchTest, ListsAgainIfTheVersionIsUnknown) {
  const std::string too_large =
      Refusal(504, "Timeout", "Too large resource version: 99, current: 7",
              R"(,"details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"x"}]})");
  transport_.Answer(200, ListOf("99", Object("a", "1", "98"))).Answer(504, too_large);
  transport_.Answer(200, ListOf("7", "")).Answer(200, Bookmark("8"));
  Watch();
  EXPECT_EQ(told_, (Words{"+a 1 98", "synced",
                          "trouble: watching pods in namespace ml: Too large resource version: 99, "
                          "current: 7",
                          "well", "-a 1 98"}));
  EXPECT_EQ(VersionAsked(3), "7");
}

TEST_F(KubeWatchTest, ListsAgainAfterAnErrorInTheStream) {
  transport_.Answer(200, ListOf("9", ""));
  for (int i = 0; i < 3; ++i) {
    transport_.Answer(200, Line("ERROR", Refusal(500, "InternalError", "no previous value")));
  }
  transport_.Answer(200, ListOf("12", Object("a", "1", "11"))).Answer(200, Bookmark("13"));
  Watch();
  EXPECT_NE(std::find(told_.begin(), told_.end(), "+a 1 11"), told_.end());
}

TEST_F(KubeWatchTest, RetriesAfterAMalformedLine) {
  for (const char* line : {"nonsense\n", "{}\n", "[1]\n", "{\"type\":\"ADDED\"}\n"}) {
    ScriptedTransport transport;
    transport.Answer(200, ListOf("9", "")).Answer(200, line).Answer(200, Bookmark("10"));
    const kube::Client client(transport, clock_, {.server = "https://c"});
    int told = 0;
    std::ignore = client.Watch(kube::kPods, "ml", {},
                               [&](const kube::WatchEvent&) -> Status {
                                 ++told;
                                 return {};
                               },
                               {}, {});
    EXPECT_TRUE(transport.Done()) << line;
    EXPECT_EQ(told, 1);
  }
}

TEST_F(KubeWatchTest, ErrorOfTheCallerEndsTheWatch) {
  const std::string list = ListOf("9", Object("a", "1", "3"));
  const std::string line = Line("MODIFIED", Object("a", "1", "10"));
  for (int end = 1; end <= 3; ++end) {
    ScriptedTransport transport;
    transport.Answer(200, list).Answer(200, line + line);
    const kube::Client client(transport, clock_, {.server = "https://c"});
    int told = 0;
    const Status watched = client.Watch(kube::kPods, "ml", {},
                                        [&](const kube::WatchEvent&) -> Status {
                                          if (++told < end) return {};
                                          return Fail(ErrorCode::kDataLoss, "enough");
                                        },
                                        {}, {});
    ASSERT_FALSE(watched);
    EXPECT_EQ(watched.error().message, "enough");
    EXPECT_EQ(told, end);
  }
}

TEST_F(KubeWatchTest, StopsOnRequest) {
  std::stop_source stop;
  transport_.Answer(200, ListOf("9", Object("a", "1", "3")));
  const Status watched = client_.Watch(
      kube::kPods, "ml", {},
      [&](const kube::WatchEvent& event) -> Status {
        if (event.object == nullptr) stop.request_stop();
        return {};
      },
      {}, stop.get_token());
  ASSERT_FALSE(watched);
  EXPECT_EQ(watched.error().code, ErrorCode::kCancelled);
}

TEST_F(KubeWatchTest, BacksOffIfEveryConnectionEndsAtOnce) {
  transport_.Answer(200, ListOf("9", ""));
  for (int i = 0; i < 50; ++i) transport_.Answer(200, "");
  const auto start = clock_.Steady();
  Watch();
  EXPECT_GE(clock_.Steady() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace kinetic::test
