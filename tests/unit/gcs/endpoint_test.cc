#include "unit/gcs/scripted_client.h"

namespace kinetic::test {
namespace {

TEST_F(GcsTest, EndpointMayHaveAPath) {
  gcs::ClientOptions options;
  options.endpoint = "http://proxy:8080/gcs";
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
