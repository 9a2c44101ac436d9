#include "oci/format/reference.h"
#include "oci/registry/repository.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::oci {
namespace {

using kinetic::test::FakeClock;
using kinetic::test::ScriptedTransport;

const std::string kRepositoryUrl = "https://registry.example/v2/team/app";

class RepositoryMountTest : public testing::Test {
 protected:
  Result<bool> Mount() { return repository_.MountBlob(blob_, "team/base", {}); }
  std::vector<std::string> Sent() const {
    std::vector<std::string> all;
    for (const auto& sent : script_.sent()) all.push_back(sent.method + " " + sent.url);
    return all;
  }
  static Error Reset() { return {ErrorCode::kUnavailable, "connection reset", "", {}}; }

  Descriptor blob_{media_type::kLayer, Sha256::Of("hello"), 5};
  std::string asked_ = "POST " + kRepositoryUrl + "/blobs/uploads/?mount=sha256%3A" +
                       blob_.digest.Hex() + "&from=team%2Fbase";
  ScriptedTransport script_;
  FakeClock clock_;
  Repository repository_{script_, clock_, ResolveRegistry("registry.example", false), "team/app"};
};

TEST_F(RepositoryMountTest, MountsFromAnotherRepository) {
  script_.Answer(503).Fail(Reset()).Answer(201);
  const auto mounted = Mount();
  ASSERT_TRUE(mounted) << mounted.error().message;
  EXPECT_TRUE(*mounted);
  EXPECT_EQ(Sent(), (std::vector<std::string>{asked_, asked_, asked_}));
}

TEST_F(RepositoryMountTest, CancelsAnUploadStartedInstead) {
  for (int ended : {204, 404, 500}) {
    script_.Answer(202, "", {{"Location", "/v2/team/app/blobs/uploads/1?_state=x"}});
    script_.Answer(ended);
    const auto mounted = Mount();
    ASSERT_TRUE(mounted) << mounted.error().message;
    EXPECT_FALSE(*mounted);
    EXPECT_EQ(Sent().back(), "DELETE " + kRepositoryUrl + "/blobs/uploads/1?_state=x");
    EXPECT_TRUE(script_.Done());
  }
  // The URL may be missing.
  script_.Answer(202);
  EXPECT_EQ(Mount().value_or(true), false);
}

TEST_F(RepositoryMountTest, ReportsRejection) {
  script_.Answer(403);
  const auto mounted = Mount();
  ASSERT_FALSE(mounted);
  EXPECT_EQ(mounted.error().code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(mounted.error().message.starts_with("mounting sha256:2cf24"))
      << mounted.error().message;
  EXPECT_NE(mounted.error().message.find(" from team/base to registry.example/team/app: "),
            std::string::npos);
}

TEST_F(RepositoryMountTest, ListsTagsInPages) {
  script_.Answer(200, R"({"name":"team/app","tags":["a","b"]})",
                 {{"Link", "</v2/team/app/tags/list?last=b&n=2>; rel=\"next\""}});
  script_.Answer(503);
  script_.Answer(200, R"({"name":"team/app","tags":["c"]})",
                 {{"Link",
                   "<https://registry.example/first>; rel=first, "
                   "<https://registry.example/v2/team/app/tags/list?last=c>; Rel=next"}});
  script_.Answer(200, R"({"name":"team/app","tags":null})", {{"Link", "<x>; rel=first"}});
  const auto tags = repository_.ListTags({});
  ASSERT_TRUE(tags) << tags.error().message;
  EXPECT_EQ(*tags, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(Sent(), (std::vector<std::string>{"GET " + kRepositoryUrl + "/tags/list",
                                              "GET " + kRepositoryUrl + "/tags/list?last=b&n=2",
                                              "GET " + kRepositoryUrl + "/tags/list?last=b&n=2",
                                              "GET " + kRepositoryUrl + "/tags/list?last=c"}));
}

TEST_F(RepositoryMountTest, ListsNoTagsForAMissingRepository) {
  script_.Answer(404, R"({"errors":[{"code":"NAME_UNKNOWN"}]})");
  const auto tags = repository_.ListTags({});
  ASSERT_TRUE(tags) << tags.error().message;
  EXPECT_TRUE(tags->empty());
}

TEST_F(RepositoryMountTest, RejectsTagPagesOnOtherServers) {
  for (const char* next : {"<https://elsewhere.example/v2/team/app/tags/list>; rel=\"next\"",
                           "<http://registry.example/v2/team/app/tags/list>; rel=\"next\"",
                           "</v2/team/app/tags/list>; rel=\"next\"", "<>; rel=\"next\", <a>",
                           "<list?last=a>; rel=\"next\""}) {
    script_.Answer(200, R"({"tags":["a"]})", {{"Link", next}});
    const auto tags = repository_.ListTags({});
    if (std::string_view(next).starts_with("<>")) {
      EXPECT_TRUE(tags) << next;
      continue;
    }
    ASSERT_FALSE(tags) << next;
    EXPECT_EQ(tags.error().code, ErrorCode::kDataLoss);
  }
  for (const char* body : {"<html>", R"({"tags":"a"})", R"({"tags":[1]})"}) {
    script_.Answer(200, body);
    EXPECT_EQ(repository_.ListTags({}).error().code, ErrorCode::kDataLoss) << body;
  }
  EXPECT_TRUE(script_.Done());
}

TEST_F(RepositoryMountTest, RemovesAManifest) {
  script_.Answer(500).Answer(202);
  EXPECT_TRUE(repository_.RemoveManifest("1.0", {}));
  EXPECT_EQ(Sent()[1], "DELETE " + kRepositoryUrl + "/manifests/1.0");
  script_.Answer(404, R"({"errors":[{"code":"MANIFEST_UNKNOWN"}]})");
  EXPECT_TRUE(repository_.RemoveManifest(DigestString(blob_.digest), {}));
  script_.Answer(403);
  EXPECT_EQ(repository_.RemoveManifest("1.0", {}).error().code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(script_.Done());
}

TEST_F(RepositoryMountTest, ReportsUnsupportedDeletion) {
  script_.Answer(405, R"({"errors":[{"code":"UNSUPPORTED"}]})");
  const Status all = repository_.RemoveManifest(DigestString(blob_.digest), {});
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, ErrorCode::kUnimplemented);
  EXPECT_TRUE(all.error().message.ends_with("the registry does not support deletion"));
  const std::string wrong = R"({"errors":[{"code":"DIGEST_INVALID"}]})";
  script_.Answer(400, wrong).Answer(400, wrong);
  const Status tags = repository_.RemoveManifest("1.0", {});
  ASSERT_FALSE(tags);
  EXPECT_EQ(tags.error().code, ErrorCode::kUnimplemented);
  EXPECT_TRUE(tags.error().message.ends_with("the registry does not remove tags"));
  EXPECT_EQ(repository_.RemoveManifest(DigestString(blob_.digest), {}).error().code,
            ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace kinetic::oci
