#include "base/strings.h"
#include "integration/gcs_server_harness.h"

#include <zlib.h>

namespace kinetic::test {
namespace {

class GcsDownload : public GcsServerTest {
 protected:
  http::Response Get(const std::string& name, http::Headers headers = {},
                     const std::string& query = {}) {
    return Do("GET", PathOf(name) + "?alt=media" + query, "", std::move(headers));
  }
  http::Response Range(const std::string& range) { return Get("x", {{"Range", range}}); }
};

TEST_F(GcsDownload, HasHeadersOfObject) {
  const auto object = Store("x", "123456789");
  const auto response = Get("x");
  EXPECT_EQ(response.body, "123456789");
  std::vector<std::string> sums;
  for (const auto& [name, value] : response.headers) {
    if (ToLower(name) == "x-goog-hash") sums.push_back(value);
  }
  EXPECT_EQ(sums, (std::vector<std::string>{"crc32c=4waSgw==", "md5=JfnnlDI7RTiF9RgfG2JNCw=="}));
  EXPECT_EQ(response.headers.Get("X-Goog-Generation"), Generation(object));
  EXPECT_EQ(response.headers.Get("X-Goog-Metageneration"), "1");
  EXPECT_EQ(response.headers.Get("X-Goog-Stored-Content-Length"), "9");
  EXPECT_EQ(response.headers.Get("X-Goog-Stored-Content-Encoding"), "identity");
  EXPECT_EQ(response.headers.Get("X-Goog-Storage-Class"), "STANDARD");
  EXPECT_EQ(response.headers.Get("Content-Type"), "text/plain");
  EXPECT_EQ(response.headers.Get("ETag"), object["etag"]);
  EXPECT_EQ(Do("GET", "/download" + PathOf("x") + "?alt=media").body, "123456789");
}

TEST_F(GcsDownload, ReturnsRange) {
  struct Case {
    std::string range, body, content_range;
  };
  for (const std::size_t size : {100UL, 2 * kQuantum}) {
    const std::string bytes = Pattern(size);
    const std::string total = std::to_string(size);
    const std::string last = std::to_string(size - 1);
    Store("x", bytes);
    for (const auto& [range, body, content_range] : std::vector<Case>{
             {"bytes=0-0", bytes.substr(0, 1), "bytes 0-0/" + total},
             {"bytes=3-50", bytes.substr(3, 48), "bytes 3-50/" + total},
             {"bytes=90-999999999", bytes.substr(90), "bytes 90-" + last + "/" + total},
             {"bytes=90-", bytes.substr(90), "bytes 90-" + last + "/" + total},
             {"bytes=-100", bytes.substr(size - 100),
              "bytes " + std::to_string(size - 100) + "-" + last + "/" + total},
             {"bytes=-999999999", bytes, "bytes 0-" + last + "/" + total}}) {
      const auto response = Range(range);
      EXPECT_EQ(response.status, 206) << range;
      EXPECT_EQ(response.body, body) << range;
      EXPECT_EQ(response.headers.Get("Content-Range"), content_range);
      EXPECT_TRUE(response.headers.Get("X-Goog-Hash")) << "of the whole";
    }
  }
}

TEST_F(GcsDownload, RejectsUnsatisfiableRange) {
  Store("x", Pattern(100));
  for (const std::string range : {"bytes=100-", "bytes=100-200", "bytes=-0"}) {
    const auto response = Range(range);
    EXPECT_EQ(response.status, 416) << range;
    EXPECT_EQ(response.headers.Get("Content-Range"), "bytes */100");
  }
  Store("x", "");
  EXPECT_EQ(Range("bytes=0-").status, 416);
  EXPECT_EQ(Range("bytes=-5").status, 416);
}

TEST_F(GcsDownload, IgnoresInvalidRange) {
  Store("x", "123");
  for (const std::string range :
       {"lines=1-2", "bytes=2-1", "bytes=a-b", "bytes=-", "bytes=0-0,2-2"}) {
    const auto response = Range(range);
    EXPECT_EQ(response.status, 200) << range;
    EXPECT_EQ(response.body, "123") << range;
  }
}

TEST_F(GcsDownload, RejectsOldGeneration) {
  const auto old = Store("x", "old");
  EXPECT_EQ(Get("x", {{"Range", "bytes=1-"}}, "&generation=" + Generation(old)).body, "ld");
  Store("x", "new");
  EXPECT_EQ(Get("x", {}, "&generation=" + Generation(old)).status, 404);
}

std::string Gzip(std::string text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

class GcsGzip : public GcsDownload {
 protected:
  void SetUp() override {
    Json("POST", "/upload/storage/v1/b/b/o?uploadType=media&name=x&contentEncoding=gzip", packed_);
  }

  const std::string plain_ = std::string(3'000'000, 'z') + Pattern(1000);
  const std::string packed_ = Gzip(plain_);
};

TEST_F(GcsGzip, IsDecompressedWithoutAcceptEncoding) {
  const auto response = Get("x", {{"Range", "bytes=0-9"}});
  EXPECT_EQ(response.status, 200) << "the range is ignored";
  EXPECT_EQ(response.body, plain_);
  EXPECT_FALSE(response.headers.Get("Content-Length"));
  EXPECT_FALSE(response.headers.Get("Content-Encoding"));
  EXPECT_EQ(response.headers.Get("X-Goog-Stored-Content-Encoding"), "gzip");
  EXPECT_EQ(response.headers.Get("X-Goog-Stored-Content-Length"), std::to_string(packed_.size()));
  const std::string crc = Json("GET", PathOf("x"))["crc32c"];
  EXPECT_EQ(response.headers.Get("X-Goog-Hash"), "crc32c=" + crc) << "of the stored content";
}

TEST_F(GcsGzip, IsUnchangedWithAcceptEncoding) {
  const auto whole = Get("x", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(whole.body, packed_);
  EXPECT_EQ(whole.headers.Get("Content-Encoding"), "gzip");
  const auto part = Get("x", {{"Accept-Encoding", "gzip"}, {"Range", "bytes=2-9"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, packed_.substr(2, 8));
}

TEST_F(GcsGzip, IsUnchangedWithNoTransform) {
  Json("PATCH", PathOf("x"), R"({"cacheControl":"no-transform"})");
  EXPECT_EQ(Get("x").body, packed_);
}

}  // namespace
}  // namespace kinetic::test
