#include "google/api/client.h"
#include "provision/resources/all.h"
#include "provision/scope.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace kinetic::provision {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Against the scripted responses of GKE.
class ClusterResource : public testing::Test {
 protected:
  /// Returns the warnings about a cluster of kinetic with these other fields.
  std::vector<std::string> WarningsAbout(const std::string& fields, const std::string& network) {
    transport_.Answer(
        200, R"({"name":"team","status":"RUNNING","resourceLabels":{"kinetic-cluster":"team"},)" +
                 fields + "}");
    const auto observed = MakeCluster(scope_, network)->Read({});
    EXPECT_EQ(observed->action, PlanAction::kKeep);
    return observed->warnings;
  }

  test::FakeClock clock_;
  test::ScriptedTransport transport_;
  google::ApiClient api_{transport_, clock_};
  const Scope scope_{
      .api = &api_, .project = "p", .project_number = "1", .zone = "us-west4-a", .name = "team"};
};

constexpr const char* kAsCreated =
    R"("network":"default","workloadIdentityConfig":{"workloadPool":"p.svc.id.goog"},)"
    R"("controlPlaneEndpointsConfig":{"dnsEndpointConfig":{"allowExternalTraffic":true}},)"
    R"("maintenancePolicy":{"window":{"maintenanceExclusions":{"e":{"maintenanceExclusionOptions":)"
    R"({"scope":"NO_MINOR_OR_NODE_UPGRADES"}}}}})";

TEST_F(ClusterResource, AsCreatedHasNoWarning) {
  EXPECT_THAT(WarningsAbout(kAsCreated, ""), IsEmpty());
  EXPECT_THAT(WarningsAbout(kAsCreated, "projects/p/global/networks/default"), IsEmpty());
}

TEST_F(ClusterResource, WarnsOfAnotherNetwork) {
  EXPECT_THAT(
      WarningsAbout(kAsCreated, "research"),
      ElementsAre(AllOf(HasSubstr("stays in network default"), HasSubstr("for network research"))));
}

TEST_F(ClusterResource, WarnsWithoutEndpointAndIdentities) {
  EXPECT_THAT(
      WarningsAbout(R"("network":"default")", ""),
      ElementsAre(HasSubstr("--enable-dns-access"),
                  HasSubstr("gcloud container clusters update team --location=us-west4-a "
                            "--project=p --workload-pool=p.svc.id.goog"),
                  HasSubstr("--add-maintenance-exclusion-scope=no_minor_or_node_upgrades")));
}

}  // namespace
}  // namespace kinetic::provision
