#include "kinetic/cluster_spec.h"

#include <gmock/gmock.h>

namespace kinetic {
namespace {

using testing::HasSubstr;

TEST(ClusterFile, ReadsEveryKey) {
  const auto spec = ParseClusterFile(R"(
project: my-project
location: us-west4-a
name: team
network: research
private_nodes: true
pools:
  - {accelerator: v5litepod-4, spot: true, max_nodes: 3, idle_time: 90s, disk: 200Gi}
  - {accelerator: l4, name: gpus, reservation: mine}
  - {accelerator: v6e-1, flex_start: true}
users: [ana@example.com, bo@example.com]
)",
                                     "kinetic.yaml");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->project, "my-project");
  EXPECT_EQ(spec->location, "us-west4-a");
  EXPECT_EQ(spec->name, "team");
  EXPECT_EQ(spec->network, "research");
  ASSERT_EQ(spec->pools.size(), 3U);
  EXPECT_EQ(spec->pools[0].accelerator.name, "v5litepod-4");
  EXPECT_TRUE(spec->pools[0].spot);
  EXPECT_EQ(spec->pools[0].max_nodes, 3U);
  EXPECT_EQ(spec->pools[0].idle_time, std::chrono::seconds{90});
  EXPECT_EQ(spec->pools[0].disk_bytes, std::uint64_t{200} << 30);
  EXPECT_FALSE(spec->pools[1].idle_time);
  EXPECT_TRUE(spec->private_nodes);
  EXPECT_EQ(spec->pools[1].name, "gpus");
  EXPECT_EQ(spec->pools[1].reservation, "mine");
  EXPECT_FALSE(spec->pools[1].flex_start);
  EXPECT_TRUE(spec->pools[2].flex_start);
  EXPECT_THAT(spec->users, testing::ElementsAre("ana@example.com", "bo@example.com"));
}

TEST(ClusterFile, ReadsZonesInOrder) {
  const auto spec = ParseClusterFile("locations: [us-west4-b, us-west4-a]\n", "kinetic.yaml");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_THAT(spec->locations, testing::ElementsAre("us-west4-b", "us-west4-a"));
}

TEST(ClusterFile, EmptyFileHasDefaults) {
  const auto spec = ParseClusterFile("", "kinetic.yaml");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->name, "kinetic");
  EXPECT_TRUE(spec->pools.empty());
}

struct Bad {
  const char* text;
  const char* message;
};

class BadClusterFile : public testing::TestWithParam<Bad> {};

TEST_P(BadClusterFile, NamesLineColumnAndExpectation) {
  const auto spec = ParseClusterFile(GetParam().text, "kinetic.yaml");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(spec.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadClusterFile,
    testing::Values(Bad{"- a\n", "kinetic.yaml:1:1: found a list, expected a map"},
                    Bad{"projet: p\n", "did you mean project?"},
                    Bad{"pools:\n  - spot: true\n", "kinetic.yaml:2:5: "},
                    Bad{"pools:\n  - {accelerator: v5litepod-5}\n", "kinetic.yaml:2:19: "},
                    Bad{"pools:\n  - {accelerator: l4, max_nodes: 0}\n",
                        "expected an integer from 1 to 10000"},
                    Bad{"pools:\n  - {accelerator: l4, idle_time: 10s}\n",
                        "expected a duration from 1m to 24h"},
                    Bad{"pools:\n  - {accelerator: l4, disk: 8Gi}\n", "expected a size from 32Gi"},
                    Bad{"users:\n  - ana@example.com\n  - bo\n",
                        "kinetic.yaml:3:5: users[1]: found \"bo\", expected an email address"},
                    Bad{"location: us-west4-a\nlocations: [us-west4-b]\n",
                        "locations cannot be combined with location"},
                    Bad{"locations: []\n", "kinetic.yaml:1:12: "},
                    Bad{"name: team\nttl: 8h\n",
                        "kinetic.yaml:2:1: ttl: the time limit begins when you set it"},
                    Bad{"name: team\nautopilot: true\n",
                        "kinetic.yaml:2:1: autopilot: Autopilot clusters cannot be created yet"},
                    Bad{"pools:\n  - {accelerator: l4, queued_provisioning: true}\n",
                        "kinetic.yaml:2:23: queued_provisioning: queued provisioning is not "
                        "supported yet; use flex_start: true"},
                    Bad{"name: [\n", "kinetic.yaml:"}));

}  // namespace
}  // namespace kinetic
