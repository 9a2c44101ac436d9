#include "backend/kubernetes/lifecycle/start.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace kinetic::backend {
namespace {

std::string QuotaProjectOfPods(std::string credentials) {
  ClusterProfile profile;
  profile.runner_credentials = std::move(credentials);
  CloudOptions client;
  client.quota_project = "my-project";
  return CloudOptionsForPods(profile, client).quota_project;
}

TEST(CloudOptionsForPods, OnlyACredentialFileGetsTheQuotaProject) {
  EXPECT_EQ(QuotaProjectOfPods("secret:gcs"), "my-project");
  for (const char* without : {"", "metadata", "none"}) EXPECT_EQ(QuotaProjectOfPods(without), "");
}

}  // namespace
}  // namespace kinetic::backend
