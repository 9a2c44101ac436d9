#include "base/time.h"
#include "integration/client_harness.h"

namespace kinetic::test {
namespace {

using gcs_server::Mischief;
using enum gcs::Client::Deletion;

using ClientDeletion = ClientTest;

TEST_F(ClientDeletion, OfManyTakesAHundredAtATime) {
  std::vector<gcs::Doomed> doomed;
  for (int i = 0; i < 250; ++i) {
    const gcs::Object object = Insert("d/ü " + std::to_string(i), "x");
    doomed.push_back({object.name, {.if_generation = object.generation}});
  }
  doomed[7].conditions.if_generation = 1;
  doomed[200].name = "never was";
  gcs::ClientOptions patient = Options();
  patient.stall_timeout = std::chrono::minutes(1);
  const gcs::Client client(*transport_, clock_, "b", patient);
  const std::uint64_t before = server_->requests();
  const auto deleted = client.DeleteAll(doomed, {});
  ASSERT_TRUE(deleted) << deleted.error().message;
  EXPECT_EQ(server_->requests(), before + 3);
  for (std::size_t i = 0; i < doomed.size(); ++i) {
    EXPECT_EQ(deleted->at(i), i == 7 ? kChanged : i == 200 ? kAbsent : kDeleted) << i;
  }
  EXPECT_EQ(Names(), (std::vector<std::string>{"d/ü 200", "d/ü 7"}));
  EXPECT_EQ(client_.DeleteAll({}, {})->size(), 0U);
}

TEST_F(ClientDeletion, OfManyComesThroughEveryFault) {
  for (const auto mischief : {Mischief::kLoseReply, Mischief::kAnswer, Mischief::kResetInBody,
                              Mischief::kTruncateReply, Mischief::kStallReply}) {
    std::vector<gcs::Doomed> doomed;
    for (int i = 0; i < 20; ++i) {
      const gcs::Object object = Insert("f/" + std::to_string(i), "x");
      doomed.push_back({object.name, {.if_generation = object.generation}});
    }
    server_->faults().Add({.mischief = mischief, .path = "/batch*", .at_byte = 300});
    const auto deleted = client_.DeleteAll(doomed, {});
    ASSERT_TRUE(deleted) << deleted.error().message;
    EXPECT_EQ(Names(), std::vector<std::string>());
    server_->faults().Clear();
  }
}

TEST_F(ClientDeletion, OfManyNeedsAPermission) {
  server_->SetAccounts({{"t", "ana@example.org", {}}});
  const auto deleted = client_.DeleteAll({{"x", {}}}, {});
  ASSERT_FALSE(deleted);
  EXPECT_EQ(deleted.error().code, ErrorCode::kUnauthenticated);
}

class ClientCopy : public ClientTest {
 protected:
  ClientCopy() : ClientTest({.behaviour = {.rewrite_bytes = 1U << 20}}) {
    server_->CreateBucket("from");
  }

  gcs::Object Source(const std::string& bytes) {
    const gcs::Client from(*transport_, clock_, "from", Options());
    const auto stored = from.Insert(
        "a b", Body(bytes),
        {.metadata = {{"kind", "test"}}, .custom_time = ParseTime("2026-11-21T09:00:00Z")}, {});
    EXPECT_TRUE(stored && *stored);
    return **stored;
  }
};

TEST_F(ClientCopy, TakesAsManyCallsAsItMust) {
  const std::string bytes = Pattern(3'500'000);
  const gcs::Object source = Source(bytes);
  const std::uint64_t before = server_->requests();
  const auto copy = client_.Rewrite("from", source, "to/it", {.if_generation = 0}, {});
  ASSERT_TRUE(copy) << copy.error().message;
  ASSERT_TRUE(*copy);
  EXPECT_EQ(server_->requests(), before + 4);
  EXPECT_EQ((*copy)->crc32c, source.crc32c);
  EXPECT_EQ((*copy)->metadata.at("kind"), "test");
  EXPECT_EQ((*copy)->custom_time, source.custom_time);
  EXPECT_TRUE(ReadBytes("to/it") == bytes);
  const auto again = client_.Rewrite("from", source, "to/it", {.if_generation = 0}, {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(*again);
}

TEST_F(ClientCopy, OfWhatIsGoneIsAnError) {
  gcs::Object source = Source("x");
  source.generation = 1;
  const auto copy = client_.Rewrite("from", source, "x", {.if_generation = 0}, {});
  ASSERT_FALSE(copy);
  EXPECT_EQ(copy.error().code, ErrorCode::kNotFound);
}

TEST_F(ClientCopy, ComesThroughEveryFault) {
  const std::string bytes = Pattern(2'500'000);
  const gcs::Object source = Source(bytes);
  int number = 0;
  for (const auto mischief : {Mischief::kLoseReply, Mischief::kAnswer, Mischief::kResetBeforeBody,
                              Mischief::kTruncateReply, Mischief::kStallReply}) {
    for (std::uint64_t at = 0;; ++at) {
      const std::string name = "copy" + std::to_string(number++);
      const std::uint64_t first = server_->requests();
      server_->faults().Add({.mischief = mischief, .index = first + at});
      const auto copy = client_.Rewrite("from", source, name, {.if_generation = 0}, {});
      ASSERT_TRUE(copy) << copy.error().message;
      ASSERT_TRUE(*copy) << "not recognised as ours";
      EXPECT_TRUE(ReadBytes(name) == bytes);
      server_->faults().Clear();
      if (server_->requests() <= first + at + 1) break;
    }
  }
}

}  // namespace
}  // namespace kinetic::test
