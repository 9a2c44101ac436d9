#include "env/install/pip_settings.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace kinetic::env {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

class PipSettingsTest : public ::testing::Test {
 protected:
  std::map<std::string, std::string> With(std::map<std::string, std::string> environment) {
    environment.emplace("HOME", (tree_ / "").native());
    AddPipSettings(PosixFileSystem(), environment);
    return environment;
  }

  test::TempTree tree_;
};

TEST_F(PipSettingsTest, ReadsConfigurationFile) {
  tree_.Write(
      ".config/pip/pip.conf",
      "# comment\n[global]\nindex-url = https://i.example/simple\nfind_links =\n"
      "    /opt/wheels\n    https://l.example/\n[install]\ntrusted-host: a.example b.example\n"
      "cert = /etc/ca.pem\n[freeze]\nextra-index-url = https://other.example\n");
  const auto environment = With({});
  EXPECT_THAT(environment, Contains(Pair("UV_INDEX_URL", "https://i.example/simple")));
  EXPECT_THAT(environment, Contains(Pair("UV_FIND_LINKS", "/opt/wheels,https://l.example/")));
  EXPECT_THAT(environment, Contains(Pair("UV_INSECURE_HOST", "a.example b.example")));
  EXPECT_THAT(environment, Contains(Pair("SSL_CERT_FILE", "/etc/ca.pem")));
  EXPECT_THAT(environment, Not(Contains(Key("UV_EXTRA_INDEX_URL"))));
}

TEST_F(PipSettingsTest, VariablesOfPipOverrideFilesAndVariablesOfUvOverrideBoth) {
  tree_.Write("own.conf",
              "[global]\nindex-url=https://file.example\nextra-index-url=https://x.example\n");
  const std::string file = (tree_ / "own.conf").native();
  EXPECT_THAT(With({{"PIP_CONFIG_FILE", file}, {"PIP_INDEX_URL", "https://pip.example"}}),
              Contains(Pair("UV_INDEX_URL", "https://pip.example")));
  const auto environment = With({{"PIP_CONFIG_FILE", file},
                                 {"UV_DEFAULT_INDEX", "https://uv.example"},
                                 {"UV_EXTRA_INDEX_URL", "https://y.example"}});
  EXPECT_THAT(environment, Not(Contains(Key("UV_INDEX_URL"))));
  EXPECT_THAT(environment, Contains(Pair("UV_EXTRA_INDEX_URL", "https://y.example")));
}

TEST_F(PipSettingsTest, NullFileDisablesFiles) {
  tree_.Write(".config/pip/pip.conf", "[global]\nindex-url=https://i.example\n");
  EXPECT_THAT(With({{"PIP_CONFIG_FILE", "/dev/null"}}), Not(Contains(Key("UV_INDEX_URL"))));
}

}  // namespace
}  // namespace kinetic::env
