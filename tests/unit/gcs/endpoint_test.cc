#include "gcs/endpoint.h"

#include "unit/gcs/gcs.h"

namespace kinetic::test {
namespace {

TEST(Endpoint, IsTakenInEveryForm) {
  for (const auto& [text, wanted] : std::initializer_list<std::pair<const char*, const char*>>{
           {"localhost:9023", "http://localhost:9023"},
           {"http://localhost:9023", "http://localhost:9023"},
           {"http://localhost:9023/", "http://localhost:9023"},
           {"https://storage.corp.example/gcs/", "https://storage.corp.example/gcs"},
           {"http://[::1]:80", "http://[::1]:80"},
           {"http://h:1/storage/v1/", "http://h:1"},
           {" fake ", "http://fake"}}) {
    const auto endpoint = gcs::EndpointFrom(text);
    ASSERT_TRUE(endpoint) << text;
    EXPECT_EQ(*endpoint, wanted);
  }
}

TEST(Endpoint, IsRefusedWhenItIsNone) {
  for (const char* text :
       {"", "ftp://h", "http://", "http://user:secret@h", "http://h?x=1", "two words"}) {
    const auto endpoint = gcs::EndpointFrom(text);
    ASSERT_FALSE(endpoint) << text;
    EXPECT_EQ(endpoint.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST_F(GcsTest, AnEndpointMayHaveAPath) {
  gcs::ClientOptions options;
  options.endpoint = *gcs::EndpointFrom("http://proxy:8080/gcs/");
  const gcs::Client client(transport_, clock_, "bucket", options);
  transport_.Answer(404).Answer(204).Answer(200, Resource("x", "x"));
  ASSERT_TRUE(client.Stat("a/b", {}));
  ASSERT_TRUE(client.Delete("x", {}, {}));
  ASSERT_TRUE(client.Insert("x", Body("x"), {.if_generation = 0}, {}));
  const auto sent = transport_.sent();
  EXPECT_TRUE(sent.at(0).url.starts_with("http://proxy:8080/gcs/storage/v1/b/bucket/o/a%2Fb?"));
  EXPECT_EQ(sent.at(1).url, "http://proxy:8080/gcs/storage/v1/b/bucket/o/x");
  EXPECT_TRUE(sent.at(2).url.starts_with("http://proxy:8080/gcs/upload/storage/v1/b/bucket/o?"));
}

}  // namespace
}  // namespace kinetic::test
