#include "oci/format/descriptor.h"
#include "oci/registry/repository.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace kinetic::oci {
namespace {

using kinetic::test::FakeClock;
using kinetic::test::ScriptedTransport;
using kinetic::test::TempTree;

class CopyBlobTest : public testing::Test {
 protected:
  Result<std::uint64_t> Copy(const Repository& from) {
    return CopyBlob(PosixFileSystem(), from, to_, blob_, scratch_, {});
  }
  static std::vector<std::string> Methods(const ScriptedTransport& script) {
    std::vector<std::string> all;
    for (const auto& sent : script.sent()) all.push_back(sent.method);
    return all;
  }
  bool ScratchIsEmpty() const {
    return !std::filesystem::exists(scratch_) || std::filesystem::is_empty(scratch_);
  }
  static Error Reset() { return {ErrorCode::kUnavailable, "connection reset", "", {}}; }
  ScriptedTransport& StartUpload() {
    return there_.Answer(202, "", {{"Location", "/v2/team/app/blobs/uploads/1"}});
  }

  Descriptor blob_{media_type::kLayer, Sha256::Of("hello"), 5};
  TempTree tree_;
  Path scratch_ = tree_ / "scratch";
  FakeClock clock_;
  ScriptedTransport here_;
  ScriptedTransport there_;
  Repository elsewhere_{here_, clock_, ResolveRegistry("hub.example", false), "library/python"};
  Repository beside_{there_, clock_, ResolveRegistry("registry.example", false), "team/base"};
  Repository to_{there_, clock_, ResolveRegistry("registry.example", false), "team/app"};
};

TEST_F(CopyBlobTest, SendsNothingIfTheBlobExists) {
  there_.Answer(200);
  EXPECT_EQ(Copy(elsewhere_).value_or(9), 0U);
  EXPECT_TRUE(here_.sent().empty());
}

TEST_F(CopyBlobTest, MountsWithinARegistry) {
  there_.Answer(404).Answer(201);
  EXPECT_EQ(Copy(beside_).value_or(9), 0U);
  EXPECT_EQ(Methods(there_), (std::vector<std::string>{"HEAD", "POST"}));
  EXPECT_TRUE(there_.sent()[1].url.ends_with("&from=team%2Fbase"));
}

TEST_F(CopyBlobTest, DownloadsAndUploadsIfMountFails) {
  for (int refusal : {202, 403, 405}) {
    there_.Answer(404).Answer(refusal).Answer(200, "hello").Answer(404);
    StartUpload().Answer(201);
    const auto copied = Copy(beside_);
    ASSERT_TRUE(copied) << copied.error().message;
    EXPECT_EQ(*copied, 5U);
    EXPECT_TRUE(there_.Done());
  }
}

TEST_F(CopyBlobTest, ReportsAnUnavailableRegistry) {
  there_.Answer(404);
  for (int i = 0; i < 8; ++i) there_.Answer(503);
  EXPECT_EQ(Copy(beside_).error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(there_.Done());
}

TEST_F(CopyBlobTest, CopiesBetweenRegistries) {
  here_.Cut("he", Reset());
  here_.Answer(206, "llo");
  there_.Answer(404).Answer(404);
  StartUpload().Fail(Reset()).Answer(404);
  StartUpload().Answer(201);
  const auto copied = Copy(elsewhere_);
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(*copied, 5U);
  EXPECT_EQ(there_.sent().back().body, "hello");
  EXPECT_TRUE(there_.Done());
  EXPECT_TRUE(ScratchIsEmpty());
}

TEST_F(CopyBlobTest, SendsNothingOnDigestMismatch) {
  here_.Answer(200, "hellO");
  there_.Answer(404);
  EXPECT_EQ(Copy(elsewhere_).error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(Methods(there_), (std::vector<std::string>{"HEAD"}));
  EXPECT_TRUE(ScratchIsEmpty());
}

TEST_F(CopyBlobTest, RemovesTheFileOnDigestMismatch) {
  const Path file = tree_ / "blob";
  here_.Answer(200, "hello");
  EXPECT_TRUE(FetchBlob(PosixFileSystem(), elsewhere_, blob_, file, {}));
  EXPECT_EQ(tree_.Read("blob"), "hello");
  EXPECT_EQ(FetchBlob(PosixFileSystem(), elsewhere_, blob_, file, {}).error().code,
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(tree_.Read("blob"), "hello");
  here_.Answer(200, "hell");
  EXPECT_EQ(FetchBlob(PosixFileSystem(), elsewhere_, blob_, tree_ / "short", {}).error().code,
            ErrorCode::kDataLoss);
  EXPECT_FALSE(std::filesystem::exists(tree_ / "short"));
}

}  // namespace
}  // namespace kinetic::oci
