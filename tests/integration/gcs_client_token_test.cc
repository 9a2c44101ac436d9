#include "auth/authorized_transport.h"
#include "integration/gcs_client_harness.h"

namespace kinetic::test {
namespace {

/// Returns tokens t0, t1, …, one per call.
class CountingSource final : public auth::TokenSource {
 public:
  explicit CountingSource(int& fetched) : fetched_(&fetched) {}
  Result<auth::AccessToken> Fetch(std::stop_token) override {
    return auth::AccessToken{"t" + std::to_string((*fetched_)++), WallTime::max()};
  }
  auth::Identity GetIdentity() const override { return {}; }

 private:
  int* fetched_;
};

/// Accepts only the token `valid_`.
class ClientToken : public ClientTest {
 protected:
  ClientToken() { Accept("t0"); }
  void Accept(const std::string& token) { server_->SetAccounts({{token, "ana@example.org", {}}}); }

  int fetched_ = 0;
  auth::TokenCache tokens_{std::make_unique<CountingSource>(fetched_), clock_};
  auth::AuthorizedTransport authorized_{*transport_, tokens_, Options().endpoint, "payer"};
  gcs::Client client_{authorized_, clock_, "b", Options()};
};

TEST_F(ClientToken, RejectedTokenIsRenewed) {
  ASSERT_TRUE(client_.Insert("x", Body("one"), {.if_generation = 0}, {}));
  Accept("t1");
  const auto stat = client_.Stat("x", {});
  ASSERT_TRUE(stat) << stat.error().message;
  EXPECT_EQ(fetched_, 2);
}

TEST_F(ClientToken, TokenMayExpireAtAnyRequest) {
  std::vector<gcs_server::Account> accounts;
  for (int i = 0; i < 50; ++i) accounts.push_back({"t" + std::to_string(i), "ana@example.org", {}});
  server_->SetAccounts(accounts);
  const std::string bytes = Pattern(kLargeBytes);
  for (const auto within : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(50'000)}) {
    for (std::uint64_t at = 0;; ++at) {
      const std::string name = "x" + std::to_string(fetched_) + std::to_string(at);
      const std::uint64_t first = server_->requests();
      server_->faults().Add({.index = first + at, .status = 401, .at_byte = within});
      const auto stored = client_.Insert(name, Body(bytes), {.if_generation = 0}, {});
      ASSERT_TRUE(stored) << stored.error().message;
      ASSERT_TRUE(*stored);
      std::string read;
      ASSERT_TRUE(client_.Read(name, {}, Into(read), {}));
      EXPECT_TRUE(read == bytes);
      if (server_->requests() <= first + at) break;
    }
  }
  EXPECT_GT(fetched_, 4);
}

TEST_F(ClientToken, RenewalIsNotRepeated) {
  Accept("nobody's");
  const auto stat = client_.Stat("x", {});
  ASSERT_FALSE(stat);
  EXPECT_EQ(stat.error().code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(fetched_, 2);
}

TEST_F(ClientToken, MissingPermissionIsReported) {
  server_->SetAccounts({{"t0", "ana@example.org", {"storage.objects.create"}}});
  for (const std::size_t size : {std::size_t{5}, kLargeBytes}) {
    const auto stored = client_.Insert("x", Body(Pattern(size)), {.if_generation = 0}, {});
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.error().code, ErrorCode::kPermissionDenied);
    EXPECT_NE(stored.error().hint.find("--member=user:ana@example.org"), std::string::npos)
        << stored.error().hint;
    EXPECT_NE(stored.error().hint.find("roles/storage.objectUser"), std::string::npos);
  }
}

}  // namespace
}  // namespace kinetic::test
