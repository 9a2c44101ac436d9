#include "base/hash/digest.h"
#include "oci/layer/byte_sink.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <zlib.h>

#include <algorithm>
#include <string>

namespace kinetic::oci {
namespace {

std::string SampleText() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += Sha256::Of(std::to_string(i % 5000)).Hex().substr(0, 9);
  return text;
}

std::string Compressed(ImageCompression kind, std::string_view content, std::size_t piece) {
  std::string out;
  auto compressor = MakeCompressor(kind, [&](std::string_view bytes) -> Status {
    out += bytes;
    return {};
  });
  EXPECT_TRUE(compressor);
  for (std::size_t at = 0; at < content.size(); at += piece)
    EXPECT_TRUE((*compressor)->Write(content.substr(at, piece)));
  EXPECT_TRUE((*compressor)->Finish());
  return out;
}

std::string Gunzip(const std::string& bytes, std::size_t size) {
  std::string content(size + 1, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(content.data());
  stream.avail_out = static_cast<uInt>(content.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0U);
  content.resize(stream.total_out);
  inflateEnd(&stream);
  return content;
}

std::string Unzstd(const std::string& bytes, std::size_t size) {
  std::string content(size + 1, '\0');
  const std::size_t got =
      ZSTD_decompress(content.data(), content.size(), bytes.data(), bytes.size());
  EXPECT_FALSE(ZSTD_isError(got)) << ZSTD_getErrorName(got);
  content.resize(ZSTD_isError(got) ? 0 : got);
  return content;
}

TEST(Compressor, OutputIsIndependentOfPieces) {
  const std::string sample = SampleText();
  for (const auto kind : {ImageCompression::kGzip, ImageCompression::kZstd}) {
    const std::string once = Compressed(kind, sample, sample.size());
    EXPECT_LT(once.size(), sample.size() / 3 * 2);
    EXPECT_EQ(
        kind == ImageCompression::kGzip ? Gunzip(once, sample.size()) : Unzstd(once, sample.size()),
        sample);
    EXPECT_EQ(Compressed(kind, sample, 1000), once);
    EXPECT_EQ(Compressed(kind, sample, 131'071), once);
  }
}

TEST(Compressor, AcceptsEmptyInput) {
  EXPECT_EQ(Gunzip(Compressed(ImageCompression::kGzip, "", 1), 0), "");
  EXPECT_EQ(Unzstd(Compressed(ImageCompression::kZstd, "", 1), 0), "");
}

TEST(Compressor, GzipHeaderIsReproducible) {
  const std::string stream = Compressed(ImageCompression::kGzip, "x", 1);
  ASSERT_GT(stream.size(), 10U);
  EXPECT_EQ(stream.substr(0, 8), std::string("\x1F\x8B\x08\0\0\0\0\0", 8));  // no name, no time
  EXPECT_EQ(stream[9], '\xFF');
}

TEST(Compressor, ReturnsErrorsOfTheSink) {
  for (const auto kind : {ImageCompression::kGzip, ImageCompression::kZstd}) {
    auto compressor = MakeCompressor(kind, [](std::string_view) -> Status {
      return Fail(ErrorCode::kResourceExhausted, "the disk is full");
    });
    ASSERT_TRUE(compressor);
    auto status = (*compressor)->Write("something");
    if (status) status = (*compressor)->Finish();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, "the disk is full");
  }
}

}  // namespace
}  // namespace kinetic::oci
