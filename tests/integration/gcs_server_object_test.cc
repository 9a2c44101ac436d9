#include "integration/gcs_client_harness.h"
#include "integration/gcs_server_harness.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::test {
namespace {

class GcsObject : public GcsServerTest {
 protected:
  /// `parameter` with a matching and a non-matching value.
  struct Condition {
    std::string name;
    std::string met;
    std::string unmet;
  };

  std::vector<Condition> Conditions(const nlohmann::json& object) const {
    const std::string generation = Generation(object);
    const std::string metageneration = object["metageneration"];
    return {{"ifGenerationMatch", generation, "0"},
            {"ifGenerationMatch", generation, "7"},
            {"ifGenerationNotMatch", "0", generation},
            {"ifMetagenerationMatch", metageneration, "7"},
            {"ifMetagenerationNotMatch", "7", metageneration}};
  }
};

TEST_F(GcsObject, ReadHonorsPreconditions) {
  const auto object = Store("x", "bytes");
  for (const auto& [name, met, unmet] : Conditions(object)) {
    const int otherwise = name.ends_with("NotMatch") ? 304 : 412;
    for (const std::string alt : {"", "alt=media&"}) {
      const std::string path = PathOf("x") + "?" + alt + name + "=";
      EXPECT_EQ(Do("GET", path + met).status, 200) << path;
      EXPECT_EQ(Do("GET", path + unmet).status, otherwise) << path;
    }
  }
  EXPECT_EQ(Do("GET", PathOf("x"), "", {{"If-None-Match", object["etag"]}}).status, 304);
  EXPECT_EQ(Do("GET", PathOf("x"), "", {{"If-Match", "\"other\""}}).status, 412);
}

TEST_F(GcsObject, WriteHonorsPreconditions) {
  const std::string upload = "/upload/storage/v1/b/b/o?uploadType=media&name=x&";
  EXPECT_EQ(Do("POST", upload + "ifGenerationMatch=5", "1").status, 412) << "there is none yet";
  EXPECT_EQ(Do("POST", upload + "ifGenerationNotMatch=0", "1").status, 412);
  EXPECT_EQ(Do("POST", upload + "ifGenerationMatch=0", "1").status, 200);
  EXPECT_EQ(Do("POST", upload + "ifGenerationMatch=0", "2").status, 412);
  const std::size_t count = Conditions(Store("x", "old")).size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto [name, met, unmet] = Conditions(Json("GET", PathOf("x")))[i];
    EXPECT_EQ(Do("POST", upload + name + "=" + unmet, "bad").status, 412) << name;
    EXPECT_EQ(Do("POST", upload + name + "=" + met, "good").status, 200) << name;
  }
  EXPECT_EQ(Read("x"), "good");
}

TEST_F(GcsObject, PatchAndDeleteHonorPreconditions) {
  for (const std::string method : {"PATCH", "PUT", "DELETE"}) {
    const auto object = Store("x", "bytes");
    for (const auto& [name, met, unmet] : Conditions(object)) {
      EXPECT_EQ(Do(method, PathOf("x") + "?" + name + "=" + unmet, "{}").status, 412) << name;
    }
    EXPECT_EQ(Do(method, PathOf("x") + "?generation=7", "{}").status, 404);
    const auto done =
        Do(method, PathOf("x") + "?ifMetagenerationMatch=1&generation=" + Generation(object), "{}");
    EXPECT_EQ(done.status, method == "DELETE" ? 204 : 200) << done.body;
  }
  EXPECT_EQ(Do("DELETE", PathOf("x")).status, 404);
}

TEST_F(GcsObject, OverwriteChangesGeneration) {
  const auto old = Store("x", "old");
  const auto now = Store("x", "now");
  EXPECT_LT(std::stoll(Generation(old)), std::stoll(Generation(now)));
  EXPECT_NE(old["etag"], now["etag"]);
  const auto at = [&](const nlohmann::json& one) {
    return Do("GET", PathOf("x") + "?alt=media&generation=" + Generation(one));
  };
  EXPECT_EQ(at(old).status, 404);
  EXPECT_EQ(at(now).body, "now");
}

TEST_F(GcsObject, AcceptsPatches) {
  Store("x", "bytes");
  const auto patch = [&](const std::string& body) { return Do("PATCH", PathOf("x"), body); };
  ASSERT_EQ(patch(R"({"metadata":{"a":"1","b":"2"},"cacheControl":"no-store"})").status, 200);
  ASSERT_EQ(patch(R"({"metadata":{"a":null,"c":"3"},"cacheControl":null,"size":"1"})").status, 200);
  auto now = Json("GET", PathOf("x"));
  EXPECT_EQ(now["metadata"], (nlohmann::json{{"b", "2"}, {"c", "3"}}));
  EXPECT_FALSE(now.contains("cacheControl"));
  EXPECT_EQ(now["size"], "5");
  EXPECT_EQ(now["metageneration"], "3");
  ASSERT_EQ(patch(R"({"metadata":null})").status, 200);
  EXPECT_FALSE(Json("GET", PathOf("x")).contains("metadata"));
  EXPECT_EQ(patch(R"({"metadata":{"a":1}})").status, 400);
  EXPECT_EQ(patch("[").status, 400);
  EXPECT_EQ(patch(R"({"temporaryHold":true})").status, 501);
}

TEST_F(GcsObject, CustomTimeOnlyMovesForward) {
  Store("x", "bytes");
  const auto set = [&](const std::string& time) {
    return Do("PATCH", PathOf("x"), R"({"customTime":)" + time + "}");
  };
  EXPECT_EQ(set(R"("2026-01-02T00:00:00Z")").status, 200);
  EXPECT_EQ(set(R"("2026-01-02T00:00:00.000Z")").status, 200);
  EXPECT_EQ(set(R"("2026-01-01T23:59:59Z")").status, 400);
  EXPECT_EQ(set("null").status, 400);
  EXPECT_EQ(set(R"("yesterday")").status, 400);
  EXPECT_EQ(set(R"("2026-03-01T00:00:00Z")").status, 200);
  EXPECT_EQ(Json("GET", PathOf("x"))["customTime"], "2026-03-01T00:00:00.000Z");
}

TEST_F(GcsObject, ReturnsRequestedFields) {
  Store("x", "bytes");
  EXPECT_EQ(Json("GET", PathOf("x") + "?fields=name,size"),
            (nlohmann::json{{"name", "x"}, {"size", "5"}}));
  EXPECT_EQ(Json("GET", "/storage/v1/b/b/o?fields=nextPageToken,items(name)"),
            (nlohmann::json{{"items", {{{"name", "x"}}}}}));
  EXPECT_EQ(Json("GET", "/storage/v1/b/b/o?fields=items/size"),
            (nlohmann::json{{"items", {{{"size", "5"}}}}}));
  for (const std::string bad : {"nme", "items(name", "items)", ","}) {
    EXPECT_EQ(Do("GET", PathOf("x") + "?fields=" + bad).status, 400) << bad;
  }
}

TEST_F(GcsObject, ReportsMissingObjectLikeGoogle) {
  const auto missing = Do("GET", PathOf("none"));
  EXPECT_EQ(missing.status, 404);
  const auto error = nlohmann::json::parse(missing.body)["error"];
  EXPECT_EQ(error["code"], 404);
  EXPECT_EQ(error["message"], "No such object: b/none");
  EXPECT_EQ(error["errors"][0]["domain"], "global");
  EXPECT_EQ(error["errors"][0]["reason"], "notFound");
  // Errors of media requests are plain text.
  EXPECT_EQ(Do("GET", PathOf("none") + "?alt=media").body, "No such object: b/none");
  EXPECT_EQ(Do("GET", "/storage/v1/b/b/o/not/encoded").status, 404);
}

class GcsChangeLimit : public SharedClock, public GcsServerTest {
 protected:
  GcsChangeLimit() : GcsServerTest(WithClock()) {}

  gcs_server::Options WithClock() {
    gcs_server::Options options;
    options.behavior.clock = &clock_;
    return options;
  }
};

TEST_F(GcsChangeLimit, RejectsASecondChangeWithinASecond) {
  const std::string upload = "/upload/storage/v1/b/b/o?uploadType=media&name=x";
  const std::string compose = PathOf("x") + "/compose";
  const std::string sources = R"({"sourceObjects":[{"name":"part"}]})";
  const std::vector<std::pair<std::string, std::function<http::Response()>>> changes{
      {"overwrite", [&] { return Do("POST", upload, "2"); }},
      {"patch", [&] { return Do("PATCH", PathOf("x"), R"({"metadata":{"a":"b"}})"); }},
      {"update", [&] { return Do("PUT", PathOf("x"), "{}"); }},
      {"compose", [&] { return Do("POST", compose, sources); }},
      {"delete and create", [&] {
         EXPECT_EQ(Do("DELETE", PathOf("x")).status, 204);
         return Do("POST", upload, "3");
       }}};
  Store("part", "p");
  for (const auto& [name, change] : changes) {
    clock_.Advance(std::chrono::seconds(1));
    Store("x", "1");
    const auto rejected = change();
    EXPECT_EQ(rejected.status, 429) << name;
    EXPECT_EQ(ReasonOf(rejected), "rateLimitExceeded") << name;
    EXPECT_EQ(Do("POST", upload + "&ifGenerationMatch=7", "").status, 412) << "not a change";
    if (name == "delete and create") continue;
    EXPECT_EQ(Read("x"), "1") << name;
    clock_.Advance(std::chrono::seconds(1));
    EXPECT_EQ(change().status, 200) << name;
  }
}

}  // namespace
}  // namespace kinetic::test
