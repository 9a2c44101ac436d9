#include "store/bucket/conflict_pacer.h"

#include "store/gcs_store.h"
#include "support/fake_clock.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::store {
namespace {

TEST(ConflictPacer, DelaysTheThirdAttempt) {
  test::FakeClock clock;
  ConflictPacer pacer(clock);
  const SteadyTime before = clock.Steady();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(pacer.Pause("a", {}));
    EXPECT_EQ(clock.Steady(), before);
    pacer.Record("a", false);
    ASSERT_TRUE(pacer.Pause("b", {}));
  }
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(pacer.Pause("a", {}));
    pacer.Record("a", false);
  }
  EXPECT_GT(clock.Steady(), before);
  pacer.Record("a", true);
  const SteadyTime now = clock.Steady();
  ASSERT_TRUE(pacer.Pause("a", {}));
  EXPECT_EQ(clock.Steady(), now);
}

/// A server on which another client always wins: objects exist, and no precondition holds.
class Contended final : public http::Transport {
 public:
  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token /*stop*/) override {
    ++requests;
    http::Response response;
    response.headers = {{"Date", "Sun, 06 Nov 2026 08:49:37 GMT"}};
    if (request.method != "GET") {
      response.status = 412;
      return response;
    }
    response.status = 200;
    const std::string resource =
        R"({"name":"team/a","size":"0","generation":"7","metageneration":"1",)"
        R"("updated":"2026-11-21T09:00:00Z"})";
    if (auto taken = sink(resource); !taken) return Failure(taken.error());
    return response;
  }

  int requests = 0;
};

TEST(GcsStore, SpacesAttemptsThatAnotherClientWins) {
  const auto removal = [](Store& store) -> Status {
    for (int i = 0; i < 20; ++i) {
      auto removed =
          store.RemoveIfUnchanged({.name = "a", .generation = 7, .metageneration = 1}, {});
      if (!removed) return Failure(removed.error());
    }
    return {};
  };
  const std::vector<std::function<Status(Store&)>> loops{
      [](Store& store) { return Overwrite(store, "a", "x", {}); }, removal};
  for (const auto& loop : loops) {
    test::FakeClock clock;
    const auto server = std::make_shared<Contended>();
    GcsStore store(server, clock, {"bucket", "team/"}, {});
    const SteadyTime before = clock.Steady();
    (void)loop(store);
    const double waited = std::chrono::duration<double>(clock.Steady() - before).count();
    EXPECT_LT(server->requests, 100);
    EXPECT_GT(waited, 3);
    EXPECT_LT(waited, 60);
  }
}

}  // namespace
}  // namespace kinetic::store
