#include "kube/auth/credential.h"

#include "support/fake_clock.h"
#include "unit/kube/kubeconfig/fixture.h"

#include <thread>
#include <vector>

namespace kinetic::test {
namespace {

/// "Bearer 1", "Bearer 2", …, each for a minute.
class Counting final : public kube::CredentialSource {
 public:
  explicit Counting(Clock& clock, std::atomic<int>& count) : clock_(clock), count_(count) {}
  Result<kube::Credential> Fetch(const kube::Credential*, std::stop_token) override {
    return kube::Credential{.authorization = "Bearer " + std::to_string(++count_),
                            .certificate_pem = {},
                            .key_pem = {},
                            .expiry = clock_.Now() + std::chrono::minutes(1)};
  }

 private:
  Clock& clock_;
  std::atomic<int>& count_;
};

TEST(CredentialCache, FetchesAgainAfterExpiry) {
  FakeClock clock;
  std::atomic<int> count = 0;
  kube::CredentialCache cache(std::make_unique<Counting>(clock, count), clock);
  EXPECT_EQ(cache.Get(nullptr, {})->authorization, "Bearer 1");
  clock.Advance(std::chrono::seconds(59));
  EXPECT_EQ(cache.Get(nullptr, {})->authorization, "Bearer 1");
  clock.Advance(std::chrono::seconds(1));
  EXPECT_EQ(cache.Get(nullptr, {})->authorization, "Bearer 2");
}

TEST(CredentialCache, FetchesOnceForConcurrentRejections) {
  FakeClock clock;
  std::atomic<int> count = 0;
  kube::CredentialCache cache(std::make_unique<Counting>(clock, count), clock);
  const auto refused = cache.Get(nullptr, {});
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] { EXPECT_EQ(cache.Get(&*refused, {})->authorization, "Bearer 2"); });
    }
  }
  EXPECT_EQ(count, 2);
}

TEST(TokenFile, IsRereadEveryMinuteAndKeptWithoutTheFile) {
  const TempTree tree;
  FakeClock clock;
  const Path path = tree.Write("token", "one\n");
  kube::CredentialCache cache(
      std::make_unique<kube::TokenFileCredentialSource>(path, "", PosixFileSystem(), clock), clock);
  EXPECT_EQ(cache.Get(nullptr, {})->authorization, "Bearer one");
  tree.Write("token", "two\n");
  EXPECT_EQ(cache.Get(nullptr, {})->authorization, "Bearer one");
  clock.Advance(std::chrono::minutes(1));
  EXPECT_EQ(cache.Get(nullptr, {})->authorization, "Bearer two");
  std::filesystem::remove(path);
  clock.Advance(std::chrono::minutes(1));
  EXPECT_EQ(cache.Get(nullptr, {})->authorization, "Bearer two");
}

TEST(TokenFile, FallsBackToTheTokenWhileAbsent) {
  const TempTree tree;
  FakeClock clock;
  kube::TokenFileCredentialSource with(tree / "nope", "given", PosixFileSystem(), clock);
  EXPECT_EQ(with.Fetch(nullptr, {})->authorization, "Bearer given");
  kube::TokenFileCredentialSource without(tree / "nope", "", PosixFileSystem(), clock);
  ExpectError(without.Fetch(nullptr, {}), ErrorCode::kUnauthenticated, "no such file");
}

}  // namespace
}  // namespace kinetic::test
