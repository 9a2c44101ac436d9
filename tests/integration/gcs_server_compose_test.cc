#include "integration/gcs_server_harness.h"
#include "support/gcs_server/crc32c.h"

namespace kinetic::test {
namespace {

using nlohmann::json;

class GcsCompose : public GcsServerTest {
 protected:
  http::Response Compose(const std::string& name, const json& sources,
                         const json& destination = json::object(), const std::string& query = {}) {
    return Do("POST", PathOf(name) + "/compose" + query,
              json{{"sourceObjects", sources}, {"destination", destination}}.dump());
  }
  static json Named(const std::string& name) { return {{"name", name}}; }
};

TEST_F(GcsCompose, ConcatenatesObjects) {
  const std::string large = Pattern(kQuantum + 77);
  Store("p1", large);
  Store("p2", "");
  Store("p3", "end");
  const auto response = Compose("all", {Named("p1"), Named("p2"), Named("p3")},
                                {{"contentType", "text/css"}, {"metadata", {{"k", "v"}}}});
  ASSERT_EQ(response.status, 200) << response.body;
  const auto object = json::parse(response.body);
  EXPECT_EQ(object["componentCount"], 3);
  EXPECT_FALSE(object.contains("md5Hash"));
  EXPECT_EQ(object["contentType"], "text/css");
  EXPECT_EQ(object["crc32c"], gcs_server::Crc32cText(gcs_server::Crc32c(0, large + "end")));
  EXPECT_EQ(Read("all"), large + "end");
  EXPECT_EQ(Do("GET", PathOf("all") + "?alt=media", "",
               {{"Range", "bytes=" + std::to_string(large.size() - 2) + "-"}})
                .body,
            large.substr(large.size() - 2) + "end");
  // The target is a source, and checksums are combined.
  EXPECT_EQ(json::parse(Compose("all", {Named("all"), Named("p3")}).body)["componentCount"], 4);
  for (const std::string part : {"p1", "p2", "p3"}) Do("DELETE", PathOf(part));
  EXPECT_EQ(Read("all"), large + "endend") << "it does not need its parts";
}

TEST_F(GcsCompose, AcceptsAtMost32Sources) {
  Store("p", "x");
  EXPECT_EQ(Compose("all", json(32, Named("p"))).status, 200);
  EXPECT_EQ(Compose("all", json(33, Named("p"))).status, 400);
  EXPECT_EQ(Compose("all", json::array()).status, 400);
  EXPECT_EQ(Read("all"), std::string(32, 'x'));
}

TEST_F(GcsCompose, HonorsPreconditionsOfSourcesAndTarget) {
  const auto part = Store("p", "x");
  json pinned = Named("p");
  pinned["generation"] = Generation(part);
  pinned["objectPreconditions"] = {{"ifGenerationMatch", Generation(part)}};
  EXPECT_EQ(Compose("all", json::array({pinned}), {}, "?ifGenerationMatch=0").status, 200);
  EXPECT_EQ(Compose("all", json::array({pinned}), {}, "?ifGenerationMatch=0").status, 412);
  EXPECT_EQ(Compose("all", json::array({Named("none")})).status, 404);
  Store("p", "y");
  EXPECT_EQ(Compose("new", json::array({pinned})).status, 404) << "that generation is gone";
  pinned.erase("generation");
  EXPECT_EQ(Compose("new", json::array({pinned})).status, 412);
}

class GcsRewrite : public GcsServerTest {
 protected:
  std::string Path(const std::string& from, const std::string& to) {
    return PathOf(from) + "/rewriteTo/b/b/o/" + to;
  }
};

TEST_F(GcsRewrite, CompletesInOneOrSeveralCalls) {
  const std::string bytes = Pattern((2U << 20) + 5);
  const auto source = Store("x", bytes);
  const auto whole = Json("POST", Path("x", "y"), "null");  // as Go's client says nothing
  EXPECT_EQ(whole["done"], true);
  EXPECT_EQ(whole["resource"]["name"], "y");
  EXPECT_EQ(whole["resource"]["contentType"], "text/plain");
  EXPECT_EQ(whole["resource"]["md5Hash"], source["md5Hash"]);
  std::string token;
  for (const std::string wanted : {"1048576", "2097152", "2097157"}) {
    const auto step = Json("POST",
                           Path("x", "z") + "?maxBytesRewrittenPerCall=1048576" +
                               (token.empty() ? "" : "&rewriteToken=") + http::PercentEncode(token),
                           R"({"contentType":"image/png"})");
    EXPECT_EQ(step["totalBytesRewritten"], wanted);
    EXPECT_EQ(step["objectSize"], "2097157");
    EXPECT_EQ(step["done"], wanted == "2097157");
    EXPECT_EQ(step.contains("resource"), wanted == "2097157");
    token = step.value("rewriteToken", "");
  }
  EXPECT_EQ(Read("z"), bytes);
  EXPECT_EQ(Json("GET", PathOf("z"))["contentType"], "image/png");
}

TEST_F(GcsRewrite, RejectsInvalidCalls) {
  const auto source = Store("x", Pattern(2U << 20));
  const std::string step = "?maxBytesRewrittenPerCall=1048576";
  EXPECT_EQ(Do("POST", Path("x", "y") + "?maxBytesRewrittenPerCall=1000").status, 400);
  EXPECT_EQ(Do("POST", Path("none", "y")).status, 404);
  EXPECT_EQ(Do("POST", Path("x", "y") + "?rewriteToken=made-up").status, 400);
  EXPECT_EQ(Do("POST", Path("x", "y") + "?ifSourceGenerationMatch=7").status, 412);
  EXPECT_EQ(Do("POST", Path("x", "y") + "?sourceGeneration=7").status, 404);
  const std::string token =
      http::PercentEncode(std::string(Json("POST", Path("x", "y") + step)["rewriteToken"]));
  EXPECT_EQ(Do("POST", Path("x", "other") + step + "&rewriteToken=" + token).status, 400);
  Store("x", Pattern(2U << 20));
  EXPECT_EQ(Do("POST", Path("x", "y") + step + "&rewriteToken=" + token).status, 400);
  Store("y", "there");
  EXPECT_EQ(Do("POST", Path("x", "y") + "?ifGenerationMatch=0").status, 412);
}

class GcsBatch : public GcsServerTest {
 protected:
  http::Response Batch(const std::vector<std::string>& calls) {
    std::string body;
    int id = 0;
    for (const auto& call : calls) {
      body += "--BB\r\nContent-Type: application/http\r\nContent-ID: <id+" + std::to_string(++id) +
              ">\r\n\r\n" + call + "\r\n";
    }
    return Do("POST", "/batch/storage/v1", body + "--BB--\r\n",
              {{"Content-Type", "multipart/mixed; boundary=BB"}});
  }
};

TEST_F(GcsBatch, AnswersCallsInOrder) {
  const auto object = Store("x/y", "bytes");
  const std::string patch = R"({"metadata":{"k":"v"}})";
  const auto response = Batch(
      {"PATCH " + PathOf("x/y") +
           " HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(patch.size()) + "\r\n\r\n" + patch,
       "DELETE " + PathOf("none") + " HTTP/1.1\r\n\r\n",
       "DELETE " + PathOf("x/y") + "?generation=" + Generation(object) + " HTTP/1.1\r\n\r\n"});
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_TRUE(response.headers.Get("Content-Type")->starts_with("multipart/mixed; boundary="));
  const std::string& body = response.body;
  const auto first = body.find("Content-ID: <response-id+1>\r\n\r\nHTTP/1.1 200 OK");
  const auto second = body.find("Content-ID: <response-id+2>\r\n\r\nHTTP/1.1 404 Not Found");
  const auto third = body.find("Content-ID: <response-id+3>\r\n\r\nHTTP/1.1 204 No Content");
  EXPECT_LT(first, second) << body;
  EXPECT_LT(second, third) << body;
  EXPECT_NE(third, std::string::npos) << body;
  EXPECT_EQ(Do("GET", PathOf("x/y")).status, 404);
}

TEST_F(GcsBatch, AcceptsFormatOfGoogleClients) {
  Store("x", "bytes");
  const auto response = Do("POST", "/batch/storage/v1",
                           "--BB\nContent-Type: application/http\n\nPATCH " + server_->Url() +
                               PathOf("x") + " HTTP/1.1\n\n{\"cacheControl\":\"no-store\"}\n--BB--",
                           {{"Content-Type", "multipart/mixed; boundary=\"BB\""}});
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(Json("GET", PathOf("x"))["cacheControl"], "no-store") << response.body;
}

TEST_F(GcsBatch, EnforcesLimits) {
  const std::string call = "GET " + PathOf("x") + " HTTP/1.1\r\n\r\n";
  EXPECT_EQ(Batch(std::vector(100, call)).status, 200);
  EXPECT_EQ(Batch(std::vector(101, call)).status, 400);
  EXPECT_EQ(Batch({}).status, 400);
  EXPECT_EQ(Batch({"GET " + PathOf("x") + "?alt=media HTTP/1.1\r\n\r\n"}).status, 400);
}

}  // namespace
}  // namespace kinetic::test
