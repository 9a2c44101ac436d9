#include "kinetic/settings.h"

#include "settings/sources.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace kinetic {
namespace {

/// A home directory whose settings are the only ones.
class LoadProfileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto& [name, value] : settings::ReadProcessEnvironment().variables)
      if (name.starts_with("KINETIC_") || name.starts_with("XDG_")) ::unsetenv(name.c_str());
    ::setenv("HOME", home_.path().c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("KINETIC_CONFIG");
    ::unsetenv("KINETIC_TARGET");
  }

  const test::TempTree home_;
};

TEST_F(LoadProfileTest, HasDefaultsWithoutAFile) {
  const auto options = LoadProfile();
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->profile.name, "local");
  EXPECT_EQ(options->profile.store, home_ / ".local/share/kinetic/store");
  EXPECT_EQ(options->state_dir, home_ / ".local/state/kinetic");
  EXPECT_EQ(options->search_path, std::getenv("PATH"));
  EXPECT_EQ(options->environment.at("HOME"), home_.path());
}

TEST_F(LoadProfileTest, ReadsTheProfileThatIsNamedOrCurrent) {
  home_.Write(".config/kinetic/config.yaml",
              "target: fast\nprofiles:\n  fast: {store: /data/fast}\n"
              "  tpu: {kind: gke, cluster: c1, location: us-central1, project: p1, "
              "store: gs://bucket/k}\n");
  EXPECT_EQ(LoadProfile()->profile.store, "/data/fast");
  const auto options = LoadProfile("tpu");
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->profile.name, "tpu");
  EXPECT_EQ(options->profile.kind, TargetKind::kGke);
  EXPECT_EQ(options->profile.kubernetes.cluster, "c1");
  EXPECT_EQ(options->profile.store, "gs://bucket/k");
  ::setenv("KINETIC_TARGET", "local", 1);
  EXPECT_EQ(LoadProfile()->profile.name, "local");
  EXPECT_EQ(LoadProfile("tpu")->profile.name, "tpu");
}

TEST_F(LoadProfileTest, ReportsWhatItCannotUse) {
  home_.Write(".config/kinetic/config.yaml", "profiles:\n  tpu: {kind: gke}\n");
  const auto unknown = LoadProfile("tpv");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(unknown.error().message, "LoadProfile: no profile 'tpv'");
  EXPECT_EQ(unknown.error().hint, "did you mean 'tpu'?");
  ::setenv("KINETIC_CONFIG", "/missing.yaml", 1);
  EXPECT_EQ(LoadProfile().error().message, "KINETIC_CONFIG: /missing.yaml does not exist");
}

TEST_F(LoadProfileTest, ErrorsReachTheClient) {
  const auto client = Client::Open(LoadProfile("missing"));
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().message, "LoadProfile: no profile 'missing'");
}

}  // namespace
}  // namespace kinetic
