#include "oci/format/reference.h"
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
    return CopyBlob(PosixFileSystem(), from, destination_, blob_, scratch_, {});
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
    return registry_.Answer(202, "", {{"Location", "/v2/team/app/blobs/uploads/1"}});
  }

  Descriptor blob_{media_type::kLayer, Sha256::Of("hello"), 5};
  TempTree tree_;
  Path scratch_ = tree_ / "scratch";
  FakeClock clock_;
  ScriptedTransport hub_;
  ScriptedTransport registry_;
  Repository hub_repository_{hub_, clock_, ResolveRegistry("hub.example", false), "library/python"};
  Repository sibling_{registry_, clock_, ResolveRegistry("registry.example", false), "team/base"};
  Repository destination_{registry_, clock_, ResolveRegistry("registry.example", false),
                          "team/app"};
};

TEST_F(CopyBlobTest, SendsNothingIfTheBlobExists) {
  registry_.Answer(200);
  EXPECT_EQ(Copy(hub_repository_).value_or(9), 0U);
  EXPECT_TRUE(hub_.sent().empty());
}

TEST_F(CopyBlobTest, MountsWithinARegistry) {
  registry_.Answer(404).Answer(201);
  EXPECT_EQ(Copy(sibling_).value_or(9), 0U);
  EXPECT_EQ(Methods(registry_), (std::vector<std::string>{"HEAD", "POST"}));
  EXPECT_TRUE(registry_.sent()[1].url.ends_with("&from=team%2Fbase"));
}

TEST_F(CopyBlobTest, DownloadsAndUploadsIfMountFails) {
  for (int refusal : {202, 403, 405}) {
    registry_.Answer(404).Answer(refusal).Answer(200, "hello").Answer(404);
    StartUpload().Answer(201);
    const auto copied = Copy(sibling_);
    ASSERT_TRUE(copied) << copied.error().message;
    EXPECT_EQ(*copied, 5U);
    EXPECT_TRUE(registry_.Done());
  }
}

TEST_F(CopyBlobTest, ReportsAnUnavailableRegistry) {
  registry_.Answer(404);
  for (int i = 0; i < 8; ++i) registry_.Answer(503);
  EXPECT_EQ(Copy(sibling_).error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(registry_.Done());
}

TEST_F(CopyBlobTest, CopiesBetweenRegistries) {
  hub_.Cut("he", Reset());
  hub_.Answer(206, "llo");
  registry_.Answer(404).Answer(404);
  StartUpload().Fail(Reset()).Answer(404);
  StartUpload().Answer(201);
  const auto copied = Copy(hub_repository_);
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(*copied, 5U);
  EXPECT_EQ(registry_.sent().back().body, "hello");
  EXPECT_TRUE(registry_.Done());
  EXPECT_TRUE(ScratchIsEmpty());
}

TEST_F(CopyBlobTest, SendsNothingOnDigestMismatch) {
  hub_.Answer(200, "hellO");
  registry_.Answer(404);
  EXPECT_EQ(Copy(hub_repository_).error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(Methods(registry_), (std::vector<std::string>{"HEAD"}));
  EXPECT_TRUE(ScratchIsEmpty());
}

TEST_F(CopyBlobTest, RemovesTheFileOnDigestMismatch) {
  const Path file = tree_ / "blob";
  hub_.Answer(200, "hello");
  EXPECT_TRUE(FetchBlob(PosixFileSystem(), hub_repository_, blob_, file, {}));
  EXPECT_EQ(tree_.Read("blob"), "hello");
  EXPECT_EQ(FetchBlob(PosixFileSystem(), hub_repository_, blob_, file, {}).error().code,
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(tree_.Read("blob"), "hello");
  hub_.Answer(200, "hell");
  EXPECT_EQ(FetchBlob(PosixFileSystem(), hub_repository_, blob_, tree_ / "short", {}).error().code,
            ErrorCode::kDataLoss);
  EXPECT_FALSE(std::filesystem::exists(tree_ / "short"));
}

}  // namespace
}  // namespace kinetic::oci
