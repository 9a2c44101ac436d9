#include "kinetic/image_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic {
namespace {

using ::testing::IsEmpty;
using Change = ImageDifference::Change;

ImageContents SampleContents() {
  ImageContents image;
  image.python = "3.12";
  image.accelerator = "cpu";
  image.base = "python:3.12-slim";
  image.base_digest = "sha256:aa";
  image.packages = {{"idna", "3.7", {}}, {"numpy", "2.1.0", {}}};
  return image;
}

TEST(CompareImages, EqualImagesDoNotDiffer) {
  const auto difference = CompareImages(SampleContents(), SampleContents());
  EXPECT_THAT(difference.packages, IsEmpty());
  EXPECT_THAT(difference.properties, IsEmpty());
}

TEST(CompareImages, ReportsAddedRemovedAndChangedPackages) {
  ImageContents now = SampleContents();
  now.packages = {{"numpy", "2.2.0", {}}, {"tool", "https://h.example/t.whl", {}}};
  const auto packages = CompareImages(SampleContents(), now).packages;
  ASSERT_EQ(packages.size(), 3U);
  EXPECT_EQ(packages[0].kind, Change::Kind::kRemoved);
  EXPECT_EQ(packages[0].name, "idna");
  EXPECT_EQ(packages[0].before, "3.7");
  EXPECT_EQ(packages[0].now, "");
  EXPECT_EQ(packages[1].kind, Change::Kind::kChanged);
  EXPECT_EQ(packages[1].before, "2.1.0");
  EXPECT_EQ(packages[1].now, "2.2.0");
  EXPECT_EQ(packages[2].kind, Change::Kind::kAdded);
  EXPECT_EQ(packages[2].now, "https://h.example/t.whl");
}

TEST(CompareImages, ReportsEachProperty) {
  ImageContents now = SampleContents();
  now.python = "3.13";
  now.accelerator = "tpu";
  now.base = "python:3.13-slim";
  now.base_digest = "sha256:bb";
  std::vector<std::string> names;
  for (const auto& property : CompareImages(SampleContents(), now).properties) {
    names.push_back(property.name + " " + property.before + " " + property.now);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"python 3.12 3.13", "accelerator cpu tpu",
                                             "base python:3.12-slim python:3.13-slim",
                                             "base digest sha256:aa sha256:bb"}));
}

TEST(CompareImages, IgnoresUnknownProperties) {
  ImageContents lock = SampleContents();
  lock.base_digest.clear();
  EXPECT_THAT(CompareImages(lock, SampleContents()).properties, IsEmpty());
  EXPECT_THAT(CompareImages(SampleContents(), lock).properties, IsEmpty());
}

}  // namespace
}  // namespace kinetic
