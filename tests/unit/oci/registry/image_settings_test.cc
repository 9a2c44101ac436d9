#include "oci/registry/remote_image.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::oci {
namespace {

RegistryImage ImageWith(std::string config) {
  RegistryImage image;
  image.name = "localhost:5000/team/app:1";
  image.config_json = std::move(config);
  return image;
}

TEST(ImageSettings, ReadsVariablesAndLabels) {
  const auto settings = ReadImageSettings(ImageWith(
      R"({"config": {"Env": ["PATH=/bin:/usr/bin", "A=b=c", "odd", 1], "Labels": {"x": "y", "n": 1}}})"));
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->Variable("PATH"), "/bin:/usr/bin");
  EXPECT_EQ(settings->Variable("A"), "b=c");
  EXPECT_EQ(settings->Variable("odd"), "");
  EXPECT_EQ(settings->Label("x"), "y");
  EXPECT_EQ(settings->Label("n"), "");
}

TEST(ImageSettings, MayBeMissing) {
  for (const char* const config : {"{}", R"({"config": null})", R"({"config": {"Env": null}})"}) {
    const auto settings = ReadImageSettings(ImageWith(config));
    ASSERT_TRUE(settings) << config;
    EXPECT_EQ(settings->Variable("PATH"), "");
  }
}

TEST(ImageSettings, RejectsInvalidConfiguration) {
  const auto settings = ReadImageSettings(ImageWith("[]"));
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().code, ErrorCode::kDataLoss);
  EXPECT_TRUE(settings.error().message.starts_with("localhost:5000/team/app:1"));
}

}  // namespace
}  // namespace kinetic::oci
