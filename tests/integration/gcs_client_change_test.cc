#include "base/time/clock.h"
#include "integration/gcs_client_harness.h"

namespace kinetic::test {
namespace {

using gcs_server::FaultKind;
using enum gcs::Client::DeleteResult;

using ClientDeletion = ClientTest;

TEST_F(ClientDeletion, BatchesHundredObjects) {
  std::vector<gcs::DeleteRequest> requests;
  for (int i = 0; i < 250; ++i) {
    const gcs::Object object = Insert("d/ü " + std::to_string(i), "x");
    requests.push_back({object.name, {.if_generation = object.generation}});
  }
  requests[7].preconditions.if_generation = 1;
  requests[200].name = "never was";
  gcs::ClientOptions patient = Options();
  patient.stall_timeout = std::chrono::minutes(1);
  const gcs::Client client(*transport_, clock_, "b", patient);
  const std::uint64_t before = server_->requests();
  const auto deleted = client.DeleteAll(requests, {});
  ASSERT_TRUE(deleted) << deleted.error().message;
  EXPECT_EQ(server_->requests(), before + 3);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(deleted->at(i), i == 7 ? kPreconditionFailed : i == 200 ? kAbsent : kDeleted) << i;
  }
  EXPECT_EQ(Names(), (std::vector<std::string>{"d/ü 200", "d/ü 7"}));
  EXPECT_EQ(client_.DeleteAll({}, {})->size(), 0U);
}

TEST_F(ClientDeletion, BatchSurvivesEveryFault) {
  for (const auto kind : {FaultKind::kLoseReply, FaultKind::kAnswer, FaultKind::kResetInBody,
                          FaultKind::kTruncateReply, FaultKind::kStallReply}) {
    std::vector<gcs::DeleteRequest> requests;
    for (int i = 0; i < 20; ++i) {
      const gcs::Object object = Insert("f/" + std::to_string(i), "x");
      requests.push_back({object.name, {.if_generation = object.generation}});
    }
    server_->faults().Add({.kind = kind, .path = "/batch*", .at_byte = 300});
    const auto deleted = client_.DeleteAll(requests, {});
    ASSERT_TRUE(deleted) << deleted.error().message;
    EXPECT_EQ(Names(), std::vector<std::string>());
    server_->faults().Clear();
  }
}

TEST_F(ClientDeletion, BatchNeedsPermission) {
  server_->SetAccounts({{"t", "ana@example.org", {}}});
  const auto deleted = client_.DeleteAll({{"x", {}}}, {});
  ASSERT_FALSE(deleted);
  EXPECT_EQ(deleted.error().code, ErrorCode::kUnauthenticated);
}

}  // namespace
}  // namespace kinetic::test
