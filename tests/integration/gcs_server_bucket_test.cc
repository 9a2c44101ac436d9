#include "integration/gcs_server_harness.h"

namespace kinetic::test {
namespace {

using nlohmann::json;

class GcsBucket : public GcsServerTest {};

TEST_F(GcsBucket, IsCreatedOnce) {
  const std::string body =
      R"({"name":"new-one","location":"us-central1","labels":{"app":"k"},
          "lifecycle":{"rule":[{"action":{"type":"Delete"},"condition":{"daysSinceCustomTime":30}}]}})";
  const auto bucket = Json("POST", "/storage/v1/b?project=p", body);
  EXPECT_EQ(bucket["kind"], "storage#bucket");
  EXPECT_EQ(bucket["location"], "US-CENTRAL1");
  EXPECT_EQ(bucket["locationType"], "region");
  EXPECT_EQ(bucket["lifecycle"]["rule"][0]["condition"]["daysSinceCustomTime"], 30);
  const auto again = Do("POST", "/storage/v1/b?project=p", body);
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(ReasonOf(again), "conflict");
  EXPECT_EQ(Json("GET", "/storage/v1/b/new-one"), bucket);
  EXPECT_EQ(Json("GET", "/storage/v1/b?project=p")["items"].size(), 2U);
  EXPECT_EQ(Do("POST", "/storage/v1/b", body).status, 400) << "no project";
  for (const std::string name : {"", "Upper", "-a-", "a", "with space"}) {
    EXPECT_EQ(Do("POST", "/storage/v1/b?project=p", json{{"name", name}}.dump()).status, 400);
  }
}

TEST_F(GcsBucket, PatchHonorsPreconditions) {
  Json("PATCH", "/storage/v1/b/b", R"({"labels":{"a":"1","b":"2"}})");
  const auto patched =
      Json("PATCH", "/storage/v1/b/b?ifMetagenerationMatch=2", R"({"labels":{"a":null}})");
  EXPECT_EQ(patched["labels"], (json{{"b", "2"}}));
  EXPECT_EQ(patched["metageneration"], "3");
  EXPECT_EQ(Do("PATCH", "/storage/v1/b/b?ifMetagenerationMatch=2", "{}").status, 412);
  EXPECT_EQ(Do("PATCH", "/storage/v1/b/none", "{}").status, 404);
  EXPECT_EQ(Do("PATCH", "/storage/v1/b/b", R"({"versioning":{"enabled":true}})").status, 501);
}

TEST_F(GcsBucket, IsDeletedWhenEmpty) {
  Store("x", "bytes");
  EXPECT_EQ(Do("DELETE", "/storage/v1/b/b").status, 409);
  Do("DELETE", PathOf("x"));
  EXPECT_EQ(Do("DELETE", "/storage/v1/b/b").status, 204);
  EXPECT_EQ(Do("GET", "/storage/v1/b/b").status, 404);
  EXPECT_EQ(Do("DELETE", "/storage/v1/b/b").status, 404);
}

TEST_F(GcsBucket, PolicyHasEtag) {
  auto policy = Json("GET", "/storage/v1/b/b/iam");
  policy["bindings"] = json::array({{{"role", "roles/storage.admin"}, {"members", {"user:a@b"}}}});
  EXPECT_EQ(Json("PUT", "/storage/v1/b/b/iam", policy.dump())["bindings"], policy["bindings"]);
  EXPECT_EQ(Do("PUT", "/storage/v1/b/b/iam", policy.dump()).status, 412) << "a race was lost";
}

class GcsAccess : public GcsServerTest {
 protected:
  GcsAccess()
      : GcsServerTest(
            {.accounts = {
                 {"good", "robot@p.test", {}},
                 {"weak", "weak@p.test", {"storage.objects.delete", "storage.objects.list"}}}}) {}

  http::Response As(const std::string& token, const std::string& method, const std::string& path,
                    const std::string& body = {}) {
    return Do(method, path, body, {{"Authorization", "Bearer " + token}});
  }
  const std::string upload_ = "/upload/storage/v1/b/b/o?uploadType=";
};

TEST_F(GcsAccess, RequiresToken) {
  const auto anonymous = Do("GET", "/storage/v1/b/b");
  EXPECT_EQ(anonymous.status, 401);
  EXPECT_EQ(ReasonOf(anonymous), "required");
  EXPECT_TRUE(anonymous.headers.Get("WWW-Authenticate"));
  const auto wrong = As("wrong", "GET", "/storage/v1/b/b");
  EXPECT_EQ(wrong.status, 401);
  EXPECT_EQ(ReasonOf(wrong), "authError");
  EXPECT_EQ(Do("GET", "/storage/v1/b/b", "", {{"Authorization", "good"}}).status, 401);
  EXPECT_EQ(As("good", "GET", "/storage/v1/b/b").status, 200);
  server_->SetAccounts({{"newer", "robot@p.test", {}}});
  EXPECT_EQ(As("good", "GET", "/storage/v1/b/b").status, 401) << "it has expired";
}

TEST_F(GcsAccess, NamesMissingPermission) {
  EXPECT_EQ(As("weak", "POST", upload_ + "media&name=x", "1").status, 200);
  for (const auto& [method, path] :
       {std::pair<std::string, std::string>{"GET", "/storage/v1/b/b/o"}, {"DELETE", PathOf("x")}}) {
    const auto refused = As("weak", method, path);
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(ReasonOf(refused), "forbidden");
    EXPECT_NE(refused.body.find("weak@p.test does not have storage.objects."), std::string::npos);
  }
  EXPECT_EQ(As("weak", "POST", upload_ + "media&name=x", "2").status, 403)
      << "replacing an object requires the permission to delete";
  const auto held = As("weak", "GET",
                       "/storage/v1/b/b/iam/testPermissions?permissions=storage.objects.get&"
                       "permissions=storage.objects.delete");
  EXPECT_EQ(json::parse(held.body)["permissions"], json{"storage.objects.get"});
}

TEST_F(GcsAccess, UploadSessionNeedsNoToken) {
  const auto begun = As("good", "POST", upload_ + "resumable&name=r", "{}");
  const std::string session(begun.headers.Get("Location").value_or(""));
  EXPECT_EQ(Do("PUT", session, "bytes").status, 200);
  EXPECT_EQ(Do("POST", upload_ + "resumable&name=r", "{}").status, 401);
}

}  // namespace
}  // namespace kinetic::test
