#include "integration/gcs_server_harness.h"
#include "support/gcs_server/crc32c.h"

namespace kinetic::test {
namespace {

using gcs_server::CombineCrc32c;
using gcs_server::Crc32c;
using gcs_server::Crc32cText;

const std::string kUpload = "/upload/storage/v1/b/b/o?uploadType=";
constexpr const char* kCrcOfDigits = "4waSgw==";
constexpr const char* kMd5OfDigits = "JfnnlDI7RTiF9RgfG2JNCw==";

TEST(Crc32cTest, MatchesTestVectors) {
  EXPECT_EQ(Crc32c(0, "123456789"), 0xE3069283U);
  EXPECT_EQ(Crc32c(Crc32c(0, "1234"), "56789"), 0xE3069283U);
  EXPECT_EQ(Crc32c(0, ""), 0U);
  EXPECT_EQ(Crc32cText(0xE3069283U), kCrcOfDigits);
}

TEST(Crc32cTest, CombinesChecksums) {
  const std::string all = Pattern(100'003);
  for (const std::size_t cut : {0UL, 1UL, 7UL, 65'536UL, 100'003UL}) {
    const std::string_view second = std::string_view(all).substr(cut);
    EXPECT_EQ(CombineCrc32c(Crc32c(0, all.substr(0, cut)), Crc32c(0, second), second.size()),
              Crc32c(0, all));
  }
}

class GcsUpload : public GcsServerTest {
 protected:
  http::Response Multipart(const std::string& metadata, const std::string& media,
                           const std::string& boundary = "XX", const std::string& query = {}) {
    return Do("POST", kUpload + "multipart" + query,
              "--XX\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n" + metadata +
                  "\r\n--XX\r\nContent-Type: image/png\r\n\r\n" + media + "\r\n--XX--",
              {{"Content-Type", "multipart/related; boundary=" + boundary}});
  }
};

TEST_F(GcsUpload, MediaUploadReturnsResource) {
  const auto resource = Store("a/ü %+?#.txt", "123456789");
  EXPECT_EQ(resource["kind"], "storage#object");
  EXPECT_EQ(resource["name"], "a/ü %+?#.txt");
  EXPECT_EQ(resource["bucket"], "b");
  EXPECT_EQ(resource["size"], "9");  // a string, as all 64-bit numbers
  EXPECT_EQ(resource["metageneration"], "1");
  EXPECT_EQ(resource["contentType"], "text/plain");
  EXPECT_EQ(resource["crc32c"], kCrcOfDigits);
  EXPECT_EQ(resource["md5Hash"], kMd5OfDigits);
  EXPECT_FALSE(resource.contains("componentCount"));
  EXPECT_EQ(Read("a/ü %+?#.txt"), "123456789");
  EXPECT_EQ(Do("GET", resource["mediaLink"]).body, "123456789");
  EXPECT_EQ(Json("GET", resource["selfLink"]), resource);
}

TEST_F(GcsUpload, StoresLargeAndEmptyContents) {
  for (const std::size_t size : {0UL, 1UL, kQuantum, kQuantum + 1, 5'000'001UL}) {
    EXPECT_EQ(Store("x", Pattern(size))["crc32c"], Crc32cText(Crc32c(0, Pattern(size))));
    EXPECT_EQ(Read("x"), Pattern(size));
  }
}

TEST_F(GcsUpload, AcceptsChunkedEncoding) {
  const std::string answer =
      Raw("POST " + kUpload +
          "media&name=c HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: "
          "chunked\r\n\r\n5;x=y\r\n12345\r\n4\r\n6789\r\n0\r\nTrailer: t\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << answer;
  EXPECT_EQ(Read("c"), "123456789");
  // Conflicting lengths allow request smuggling.
  EXPECT_TRUE(Raw("POST " + kUpload +
                  "media&name=d HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: "
                  "chunked\r\n\r\n0\r\n\r\n")
                  .starts_with("HTTP/1.1 400"));
}

TEST_F(GcsUpload, TruncatedUploadStoresNothing) {
  Raw("POST " + kUpload + "media&name=cut HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n12345");
  EXPECT_EQ(Do("GET", PathOf("cut")).status, 404);
}

TEST_F(GcsUpload, Sends100Continue) {
  const std::string answer =
      Raw("POST " + kUpload +
          "media&name=c HTTP/1.1\r\nHost: h\r\nConnection: close\r\nExpect: 100-continue\r\n"
          "Content-Length: 3\r\n\r\nabc");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK")) << answer;
}

TEST_F(GcsUpload, RejectedUploadKeepsConnection) {
  Store("x", "first");
  const std::string path = kUpload + "media&name=x&ifGenerationMatch=0";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Do("POST", path, Pattern(1'000'000)).status, 412);
  EXPECT_EQ(Read("x"), "first");
  EXPECT_EQ(server_->connections(), 1U);
}

TEST_F(GcsUpload, MultipartUploadHasMetadata) {
  const std::string media = Pattern(700'000) + "\r\n--X\r\n-" + Pattern(11);
  const auto response = Multipart(R"({"name":"m","metadata":{"k":"v"},"unknown":1})", media);
  ASSERT_EQ(response.status, 200) << response.body;
  const auto resource = nlohmann::json::parse(response.body);
  EXPECT_EQ(resource["metadata"]["k"], "v");
  EXPECT_EQ(resource["contentType"], "image/png");
  EXPECT_FALSE(resource.contains("unknown"));
  EXPECT_EQ(Read("m"), media);
  EXPECT_EQ(Multipart(R"({"name":"q"})", "", "\"XX\"").status, 200);
  EXPECT_EQ(Read("q"), "");
}

TEST_F(GcsUpload, MultipartUploadKeepsLineEndings) {
  for (const std::string media :
       {"x\r", "x\n", "x\r\n", "\r", "\n", "\r\r\n", "\n--X", "\r\n--Y"}) {
    EXPECT_EQ(Multipart(R"({"name":"m"})", media).status, 200);
    EXPECT_EQ(Read("m"), media);
  }
}

TEST_F(GcsUpload, RejectsMalformedMultipart) {
  EXPECT_EQ(Multipart("{", "x").status, 400);
  EXPECT_EQ(Multipart(R"({"metadata":{}})", "x").status, 400) << "no name";
  EXPECT_EQ(Multipart(R"({"name":"m","metadata":{"k":1}})", "x").status, 400);
  EXPECT_EQ(Multipart(R"({"name":"m"})", "x", "other").status, 400);
  EXPECT_EQ(Do("POST", kUpload + "multipart", "x").status, 400) << "no boundary";
  EXPECT_EQ(Do("POST", kUpload + "multipart",
               "--XX\r\nContent-Type: application/json\r\n\r\n{\"name\":\"m\"}\r\n--XX\r\n\r\ncut",
               {{"Content-Type", "multipart/related; boundary=XX"}})
                .status,
            400);
  EXPECT_EQ(Multipart(R"({"name":"m"})", "x", "XX", "&name=n").status, 400) << "two names";
  EXPECT_EQ(Do("GET", PathOf("m")).status, 404);
}

TEST_F(GcsUpload, VerifiesDeclaredChecksums) {
  const std::string digits = "123456789";
  const auto declared = [](const std::string& key, const std::string& sum) {
    return R"({"name":"s",")" + key + R"(":")" + sum + R"("})";
  };
  EXPECT_EQ(Multipart(declared("crc32c", kCrcOfDigits), digits).status, 200);
  EXPECT_EQ(Multipart(declared("md5Hash", kMd5OfDigits), digits).status, 200);
  for (const std::string bad : {"AAAAAA==", "nonsense"}) {
    EXPECT_EQ(Multipart(declared("crc32c", bad), digits).status, 400);
  }
  EXPECT_EQ(Multipart(declared("md5Hash", "AAAAAAAAAAAAAAAAAAAAAA=="), digits).status, 400);
  for (const auto& [hash, status] : {std::pair{"crc32c=4waSgw==", 200},
                                     {"crc32c=4waSgw==,md5=JfnnlDI7RTiF9RgfG2JNCw==", 200},
                                     {"crc32c=AAAAAA==", 400},
                                     {"crc32c=4waSgw==,md5=AAAAAAAAAAAAAAAAAAAAAA==", 400}}) {
    const auto response = Do("POST", kUpload + "media&name=h", digits, {{"X-Goog-Hash", hash}});
    EXPECT_EQ(response.status, status) << hash << response.body;
  }
}

TEST_F(GcsUpload, RejectsUnknownUploadType) {
  EXPECT_EQ(Do("POST", kUpload + "media", "x").status, 400) << "no name";
  EXPECT_EQ(Do("POST", kUpload + "other&name=x", "x").status, 400);
  EXPECT_EQ(Do("POST", "/upload/storage/v1/b/none/o?uploadType=media&name=x", "x").status, 404);
  EXPECT_EQ(Do("POST", kUpload + "media&name=x&ifGenerationMatch=abc", "x").status, 400);
  EXPECT_EQ(Do("POST", kUpload + "media&name=" + std::string(1025, 'x'), "x").status, 400);
  EXPECT_EQ(Do("POST", kUpload + "media&name=..", "x").status, 400);
}

}  // namespace
}  // namespace kinetic::test
