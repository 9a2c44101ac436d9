#include "provision/join/existing_cluster.h"

#include "provision/join/cluster_checks.h"

#include <gmock/gmock.h>

namespace kinetic::provision {
namespace {

using testing::HasSubstr;

Scope TeamScope() {
  Scope scope;
  scope.project = "p";
  scope.project_number = "123";
  scope.zone = "us-west4-a";
  scope.name = "team";
  return scope;
}

ExistingCluster ParsedCluster(std::string_view json) {
  return ParseCluster(TeamScope(), *Value::FromJson(json));
}

constexpr const char* kStandard =
    R"({"name":"team","location":"us-west4-a","status":"RUNNING","currentMasterVersion":"1.34.1",)"
    R"("workloadIdentityConfig":{"workloadPool":"p.svc.id.goog"},"nodePools":[)"
    R"({"name":"main","config":{"machineType":"e2-standard-2","serviceAccount":"default"}},)"
    R"({"name":"tpu","config":{"machineType":"ct5lp-hightpu-1t","serviceAccount":"n@p.example",)"
    R"("workloadMetadataConfig":{"mode":"GKE_METADATA"}}},)"
    R"({"name":"gpu","config":{"machineType":"n1-standard-4","accelerators":[)"
    R"({"acceleratorType":"nvidia-l4","acceleratorCount":"1"}],)"
    R"("workloadMetadataConfig":{"mode":"GKE_METADATA"}}}]})";

TEST(ExistingCluster, ParsesPools) {
  const ExistingCluster cluster = ParsedCluster(kStandard);
  ASSERT_EQ(cluster.pools.size(), 3U);
  EXPECT_EQ(cluster.pools[0].account, "123-compute@developer.gserviceaccount.com");
  EXPECT_FALSE(cluster.pools[0].has_accelerators);
  EXPECT_FALSE(cluster.pools[0].has_pod_identities);
  EXPECT_EQ(cluster.pools[1].account, "n@p.example");
  EXPECT_TRUE(cluster.pools[1].has_accelerators);
  EXPECT_TRUE(cluster.pools[2].has_accelerators);
}

TEST(ExistingCluster, ChecksOfAClusterWithOnePoolWithoutIdentities) {
  const ExistingCluster cluster = ParsedCluster(kStandard);
  EXPECT_EQ(CheckStatus(cluster).health, Health::kGood);
  const HealthCheck identities = CheckPodIdentities(TeamScope(), cluster);
  EXPECT_EQ(identities.health, Health::kWarning);
  EXPECT_EQ(identities.evidence, "off in node pool main");
  EXPECT_THAT(identities.advice,
              HasSubstr("gcloud container node-pools update main --cluster=team "
                        "--location=us-west4-a --project=p --workload-metadata=GKE_METADATA"));
  const HealthCheck pools = CheckNodePools(TeamScope(), cluster);
  EXPECT_EQ(pools.evidence, "tpu (ct5lp-hightpu-1t), gpu (n1-standard-4)");
  EXPECT_EQ(pools.health, Health::kGood);
}

TEST(ExistingCluster, ChecksOfABareCluster) {
  const ExistingCluster cluster = ParsedCluster(R"({"name":"team","status":"ERROR"})");
  EXPECT_EQ(CheckStatus(cluster).health, Health::kFailed);
  EXPECT_EQ(CheckPodIdentities(TeamScope(), cluster).health, Health::kFailed);
  const HealthCheck pools = CheckNodePools(TeamScope(), cluster);
  EXPECT_EQ(pools.health, Health::kWarning);
  EXPECT_THAT(pools.advice, HasSubstr("gcloud container node-pools create"));
  const auto own = ParsedCluster(R"({"name":"team","resourceLabels":{"kinetic-cluster":"team"}})");
  EXPECT_THAT(CheckNodePools(TeamScope(), own).advice, HasSubstr("kinetic pool add"));
}

TEST(ExistingCluster, FieldsOfTheWrongTypeAreAbsent) {
  const ExistingCluster cluster =
      ParsedCluster(R"({"name":7,"autopilot":[],"nodePools":[{"config":"x"},null],"status":{}})");
  EXPECT_EQ(cluster.name, "");
  EXPECT_FALSE(cluster.autopilot);
  EXPECT_EQ(cluster.pools.size(), 2U);
}

TEST(Scope, RegionOfZonesAndRegions) {
  Scope scope = TeamScope();
  EXPECT_EQ(scope.Region(), "us-west4");
  scope.zone = "us-west4";
  EXPECT_EQ(scope.Region(), "us-west4");
}

TEST(Scope, StoreOfTheClusterOrGiven) {
  Scope scope = TeamScope();
  EXPECT_EQ(scope.Store(), "gs://p-team/jobs");
  EXPECT_EQ(scope.Bucket(), "p-team");
  scope.store = "gs://shared";
  EXPECT_EQ(scope.Bucket(), "shared");
}

}  // namespace
}  // namespace kinetic::provision
