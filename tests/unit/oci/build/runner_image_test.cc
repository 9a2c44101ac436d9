#include "kinetic/version.h"

#include "oci/build/image.h"
#include "oci/inspect/elf.h"
#include "support/temp_tree.h"
#include "unit/oci/elf_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace kinetic::oci {
namespace {

using kinetic::test::TempTree;
using testing::Contains;
using testing::HasSubstr;

/// A machine with one library, programs that need it, and a certificate.
class RunnerImageTest : public testing::Test {
 protected:
  RunnerImageTest() {
    tree_.Write("lib/libone.so", BuildElf({}));
    tree_.Write("lib/libcurl.so.4", BuildElf({.needed = {"libone.so"}}));
    request_ = {.runner = Runner(kMachineAmd64),
                .launcher = tree_.Write("launcher", BuildElf({.trailer = "symbols"})),
                .ca_certificates = tree_.Write("ca.pem", "-----BEGIN CERTIFICATE-----\n")};
  }

  Path Runner(std::uint16_t machine) {
    return tree_.Write("runner", BuildElf({.machine = machine,
                                           .interpreter = "/lib64/ld-linux-x86-64.so.2",
                                           .needed = {"libone.so"},
                                           .trailer = "symbols"}));
  }
  Result<ImageSpec> Assemble() {
    return RunnerImageSpec(PosixFileSystem(), request_, {tree_ / "lib"});
  }

  TempTree tree_;
  RunnerImageRequest request_;
};

const Entry* FindEntry(const ImageSpec& image, const std::string& path) {
  for (const auto& layer : image.layers)
    for (const Entry& entry : layer)
      if (entry.path == path) return &entry;
  return nullptr;
}

TEST_F(RunnerImageTest, ContainsOnlyWhatTheRunnerNeeds) {
  const auto image = Assemble();
  ASSERT_TRUE(image) << image.error().message;
  std::vector<std::string> paths;
  for (const auto& layer : image->layers)
    for (const Entry& entry : layer) paths.push_back(entry.path);
  EXPECT_THAT(paths, testing::UnorderedElementsAre(
                         "etc/group", "etc/nsswitch.conf", "etc/passwd",
                         "etc/ssl/certs/ca-certificates.crt", "lib", "lib64", "tmp",
                         "kinetic-runner/bin/kinetic-launcher", "kinetic-runner/bin/kinetic-runner",
                         "kinetic-runner/lib/ld-linux-x86-64.so.2",
                         "kinetic-runner/lib/libcurl.so.4", "kinetic-runner/lib/libone.so"));
  EXPECT_EQ(FindEntry(*image, "lib64")->target, "/kinetic-runner/lib");
  EXPECT_EQ(FindEntry(*image, "lib")->target, "/kinetic-runner/lib");
  EXPECT_EQ(FindEntry(*image, "tmp")->mode, 01777U);
  EXPECT_EQ(FindEntry(*image, "kinetic-runner/lib/libone.so")->source, tree_ / "lib/libone.so");
  for (const char* name : {"runner", "launcher"}) {
    const Entry* program = FindEntry(*image, std::string("kinetic-runner/bin/kinetic-") + name);
    EXPECT_EQ(program->mode, 0755U);
    EXPECT_THAT(program->bytes, testing::Not(HasSubstr("symbols")));
  }
  EXPECT_EQ(image->config.architecture, "amd64");
  EXPECT_THAT(image->config.entrypoint, testing::ElementsAre("/kinetic-runner/bin/kinetic-runner"));
  EXPECT_THAT(image->config.labels,
              Contains(testing::Pair("org.opencontainers.image.version", Version())));
}

TEST_F(RunnerImageTest, ProgramsAreInTheirOwnLayer) {
  const auto one = Assemble();
  tree_.Write("runner", BuildElf({.interpreter = "/lib64/ld-linux-x86-64.so.2",
                                  .needed = {"libone.so", "libcurl.so.4"}}));
  const auto other = Assemble();
  ASSERT_TRUE(one && other);
  const auto content = [](const Entry& each) {
    return each.path + each.bytes + each.source.native();
  };
  std::vector<std::string> before;
  std::vector<std::string> after;
  for (const Entry& entry : one->layers[0]) before.push_back(content(entry));
  for (const Entry& entry : other->layers[0]) after.push_back(content(entry));
  EXPECT_EQ(before, after);
}

TEST_F(RunnerImageTest, ArchitectureIsThatOfThePrograms) {
  request_.runner = Runner(kMachineArm64);
  tree_.Write("launcher", BuildElf({.machine = kMachineArm64}));
  tree_.Write("lib/libone.so", BuildElf({.machine = kMachineArm64}));
  tree_.Write("lib/libcurl.so.4", BuildElf({.machine = kMachineArm64}));
  EXPECT_EQ(Assemble()->config.architecture, "arm64");
  request_.runner = Runner(3);
  EXPECT_EQ(Assemble().error().code, ErrorCode::kUnimplemented);
}

TEST_F(RunnerImageTest, RejectsInvalidInput) {
  const RunnerImageRequest good = request_;
  request_.runner = tree_ / "absent";
  EXPECT_EQ(Assemble().error().code, ErrorCode::kNotFound);
  request_.runner = tree_.Write("script", "#!/bin/sh\n");
  EXPECT_EQ(Assemble().error().code, ErrorCode::kInvalidArgument);

  request_ = good;
  request_.launcher = tree_ / "absent";
  EXPECT_EQ(Assemble().error().code, ErrorCode::kNotFound);
  request_.launcher = good.runner;
  EXPECT_THAT(Assemble().error().message, HasSubstr("must start in images without them"));
  request_.launcher = tree_.Write("arm", BuildElf({.machine = kMachineArm64}));
  EXPECT_THAT(Assemble().error().message, HasSubstr("built for a different architecture"));

  request_ = good;
  request_.ca_certificates = tree_.Write("empty.pem", "");
  EXPECT_THAT(Assemble().error().message, HasSubstr("contains no certificate"));

  request_ = good;
  ASSERT_TRUE(PosixFileSystem().Unlink(tree_ / "lib/libcurl.so.4"));
  EXPECT_THAT(Assemble().error().message, HasSubstr("needs libcurl.so.4"));
}

}  // namespace
}  // namespace kinetic::oci
