#include "google/api/client.h"
#include "provision/resources/user.h"
#include "provision/scope.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

namespace kinetic::provision {
namespace {

constexpr const char* kBuckets = R"({"items":[{"name":"p-kinetic","labels":{"kinetic-cluster":)"
                                 R"("kinetic"}},{"name":"data"},)"
                                 R"({"name":"p-team","labels":{"kinetic-cluster":"team"}}]})";
constexpr const char* kFolder = R"({"name":"users/ana@example.com/"})";
constexpr const char* kGranted =
    R"({"bindings":[{"role":"roles/container.clusterViewer","members":["user:ana@example.com"]}]})";
constexpr const char* kNoFolder =
    R"({"error":{"code":404,"status":"NOT_FOUND","message":"not found"}})";

/// A user of the cluster kinetic, in a project that also has the cluster team.
class UserRoles : public testing::Test {
 protected:
  test::FakeClock clock_;
  test::ScriptedTransport transport_;
  google::ApiClient api_{transport_, clock_};
  const Scope scope_{
      .api = &api_, .project = "p", .project_number = "1", .zone = "us-west4-a", .name = "kinetic"};
  std::unique_ptr<Resource> roles_ = MakeUserRoles(scope_, "ana@example.com");
};

TEST_F(UserRoles, AreKeptForAnotherCluster) {
  transport_.Answer(200, kBuckets).Answer(200, kFolder);
  EXPECT_FALSE(*roles_->IsOurs({}));
  EXPECT_TRUE(roles_->RemovalRequests().empty());
  EXPECT_THAT(transport_.sent().back().url,
              testing::EndsWith("/b/p-team/managedFolders/users%2Fana%40example.com%2F"));
  transport_.Answer(200, kBuckets).Answer(200, kFolder);
  EXPECT_TRUE(roles_->Remove({}));
  EXPECT_EQ(transport_.sent().size(), 4U);
}

TEST_F(UserRoles, AreRemovedWithTheLastCluster) {
  transport_.Answer(200, kBuckets).Answer(404, kNoFolder).Answer(200, kGranted);
  EXPECT_TRUE(*roles_->IsOurs({}));
  EXPECT_FALSE(roles_->RemovalRequests().empty());
  transport_.Answer(200, kBuckets).Answer(404, kNoFolder).Answer(200, kGranted).Answer(200, "{}");
  EXPECT_TRUE(roles_->Remove({}));
  EXPECT_THAT(transport_.sent().back().body, testing::HasSubstr(R"("bindings":[])"));
}

}  // namespace
}  // namespace kinetic::provision
