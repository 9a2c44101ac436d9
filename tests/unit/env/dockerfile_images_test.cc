#include "env/dockerfile_images.h"

#include "env/dockerfile.h"
#include "image_shelf.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

constexpr std::string_view kUrl = "https://ana:s3cret@index.example/simple";

/// Notes what it is asked for, and pushes what the test says.
class RecordingBuilder final : public DockerfileBuilder {
 public:
  Status Build(const ImageOrder& order, Observer* /*observer*/, std::stop_token /*stop*/) override {
    orders.push_back(order);
    text = *ReadFile(PosixFileSystem(), order.dockerfile, 1U << 20);
    requirements = *ReadFile(PosixFileSystem(), order.context / kContextRequirements, 1U << 20);
    return push(order);
  }

  std::function<Status(const ImageOrder&)> push;
  std::vector<ImageOrder> orders;
  std::string text;
  std::string requirements;
};

class Warnings final : public Observer {
 public:
  void OnWarning(std::string_view message) override { all.emplace_back(message); }
  std::vector<std::string> all;
};

class DockerfileImagesTest : public ::testing::Test {
 protected:
  DockerfileImagesTest() {
    lock_.python = "3.12";
    lock_.platform = "linux-x86_64";
    lock_.packages = {{"foo", "1.0", "", {"sha256:" + std::string(64, 'a')}}};
    builder_.push = [this](const ImageOrder& order) -> Status {
      pushed_ = shelf_.Put(order.reference, ImageLabels(lock_, naming_, {}));
      return {};
    };
  }

  Result<ReadyEnvironment> Ensure() {
    auto images = MakeDockerfileImagesBuilder({.tools = {.cache_dir = files_ / "cache"},
                                               .private_urls = urls_,
                                               .registries = shelf_,
                                               .naming = naming_,
                                               .builder = builder_});
    return images->Ensure(lock_, &warnings_, {});
  }

  test::TempTree files_;
  ImageShelf shelf_;
  RecordingBuilder builder_;
  Warnings warnings_;
  Lock lock_;
  PrivateUrls urls_;
  std::string pushed_;
  ImageNaming naming_{.prefix = "/opt/kinetic/environment",
                      .base = "base.example/python:3.12",
                      .repository = "team.example/environments",
                      .category = "tpu"};
};

TEST_F(DockerfileImagesTest, ABuilderMakesWhatIsNotThereUponTheBaseThatTheNameLeadsTo) {
  const std::string base = shelf_.Put("base.example/python:3.12", {}, "65532:65532");
  const auto made = Ensure();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->built);
  EXPECT_EQ(made->image, "team.example/environments:" + ImageTag(lock_, naming_) + "@" + pushed_);
  ASSERT_EQ(builder_.orders.size(), 1U);
  const ImageOrder& order = builder_.orders.front();
  EXPECT_EQ(order.reference, "team.example/environments:" + ImageTag(lock_, naming_));
  EXPECT_EQ(order.platform, "linux/amd64");
  EXPECT_THAT(order.pulled_from, ElementsAre("base.example"));
  EXPECT_THAT(order.secrets, IsEmpty());
  EXPECT_THAT(builder_.text, HasSubstr("FROM base.example/python@" + base + "\nUSER root\n"));
  EXPECT_THAT(builder_.text, HasSubstr("USER 65532:65532\n"));
  EXPECT_THAT(builder_.text, HasSubstr("base.digest=\"" + base));
  EXPECT_THAT(builder_.requirements, HasSubstr("foo==1.0"));
  EXPECT_FALSE(PosixFileSystem().Lstat(order.context)) << "the context is left behind";
}

TEST_F(DockerfileImagesTest, TheBaseThatTheLockNamesStays) {
  lock_.base_image = shelf_.Put("base.example/python:3.12", {}, "first");
  ASSERT_NE(shelf_.Put("base.example/python:3.12", {}, "another"), lock_.base_image);
  ASSERT_TRUE(Ensure());
  EXPECT_THAT(builder_.text, HasSubstr("FROM base.example/python@" + lock_.base_image + "\n"));
  EXPECT_THAT(builder_.text, HasSubstr("USER first\n"));
  lock_.packages.front().version += "1";
  shelf_.Refuse("base.example", 503);
  ASSERT_TRUE(Ensure());
  EXPECT_THAT(builder_.text, HasSubstr("FROM base.example/python@" + lock_.base_image + "\n"));
}

TEST_F(DockerfileImagesTest, AnImageThatIsThereIsTaken) {
  ASSERT_TRUE(builder_.push({.reference = naming_.repository + ":" + ImageTag(lock_, naming_)}));
  const auto found = Ensure();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_FALSE(found->built);
  EXPECT_THAT(builder_.orders, IsEmpty());
}

TEST_F(DockerfileImagesTest, UrlsWithCredentialsGoAsASecretAndAreInNoFile) {
  shelf_.Put("base.example/python:3.12", {});
  lock_.index.url = "https://index.example/simple";
  urls_[lock_.index.url] = kUrl;
  ASSERT_TRUE(Ensure());
  EXPECT_THAT(builder_.orders.front().secrets,
              ElementsAre(Pair("kinetic_urls", HasSubstr(std::string(kUrl)))));
  EXPECT_THAT(builder_.orders.front().hidden, Contains("s3cret"));
  EXPECT_THAT(builder_.text, Not(HasSubstr("s3cret")));
  EXPECT_THAT(builder_.requirements, Not(HasSubstr("s3cret")));
}

TEST_F(DockerfileImagesTest, ABaseWhoseRegistryDoesNotAnswerIsTheBuildersToFind) {
  for (const int status : {503, 401, 403}) {
    shelf_.Refuse("base.example", status);
    const auto made = Ensure();
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_THAT(builder_.text, HasSubstr("FROM base.example/python:3.12\n"));
    EXPECT_THAT(warnings_.all.back(), HasSubstr("base.example/python:3.12"));
    lock_.packages.front().version += "1";  // another image, which is not there
  }
}

TEST_F(DockerfileImagesTest, ABaseThatIsNotThereIsAnError) {
  const auto made = Ensure();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(builder_.orders, IsEmpty());
}

TEST_F(DockerfileImagesTest, WhatABuilderSaysIsHandedOn) {
  shelf_.Put("base.example/python:3.12", {});
  builder_.push = [](const ImageOrder&) -> Status {
    return Fail(ErrorCode::kFailedPrecondition, "no room", "tidy up");
  };
  const auto made = Ensure();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "no room");
  EXPECT_EQ(made.error().hint, "tidy up");
}

TEST_F(DockerfileImagesTest, AnotherImageUnderTheTagIsNotTakenForTheOneThatWasBuilt) {
  shelf_.Put("base.example/python:3.12", {});
  builder_.push = [this](const ImageOrder& order) -> Status {
    shelf_.Put(order.reference, {{"dev.kinetic.environment", "another"}});
    return {};
  };
  const auto made = Ensure();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kAborted);
  EXPECT_THAT(made.error().message, HasSubstr("team.example/environments:tpu-"));
}

}  // namespace
}  // namespace kinetic::env
