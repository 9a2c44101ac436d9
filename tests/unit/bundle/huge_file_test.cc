#include "unit/bundle/fixture.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace kinetic::bundle {
namespace {

using test::RandomBytes;

constexpr std::uint64_t kFourGibibytes = 4ULL << 30;
constexpr std::size_t kNoiseBytes = 3 << 20;
constexpr std::uint64_t kNoiseAt = kFourGibibytes - (1 << 20);  ///< across the boundary
constexpr std::uint64_t kHugeFileBytes = kFourGibibytes + (16 << 20);

/// Writes a sparse file of more than 4 GiB.
void WriteHuge(const Path& file, const std::string& noise) {
  std::ofstream out(file, std::ios::binary);
  out.seekp(static_cast<std::streamoff>(kNoiseAt));
  out << noise;
  out.close();
  std::filesystem::resize_file(file, kHugeFileBytes);
}

std::string Piece(const Path& file, std::uint64_t offset, std::size_t count) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  std::string bytes(count, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

Digest DigestOfHuge(const std::string& noise) {
  const std::string zeros(1 << 20, '\0');
  Sha256 sha;
  for (std::uint64_t at = 0; at < kNoiseAt; at += zeros.size()) sha.Update(zeros);
  sha.Update(noise);
  for (std::uint64_t at = kNoiseAt + noise.size(); at < kHugeFileBytes; at += zeros.size()) {
    sha.Update(zeros);
  }
  return sha.Finish();
}

TEST(HugeFile, RestoresContentBeyondFourGibibytes) {
  test::BundleFixture fixture;
  const std::string noise = RandomBytes(kNoiseBytes, 1);
  WriteHuge(fixture.source / "huge", noise);
  const auto report = fixture.Write();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->bytes_read, kHugeFileBytes);
  EXPECT_LT(report->bytes_stored, 16U << 20);

  const Path folder = fixture.NewFolder();
  const auto unpacked = fixture.Unpack(report->tree, folder);
  ASSERT_TRUE(unpacked) << unpacked.error().message;
  const Path huge = folder / "huge";
  EXPECT_EQ(std::filesystem::file_size(huge), kHugeFileBytes);
  EXPECT_EQ(Piece(huge, kNoiseAt, kNoiseBytes), noise);
  struct stat status{};
  ASSERT_EQ(::stat(huge.c_str(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 64 << 20) << "the hole was written out";

  TreeEntry entry;
  entry.path = "huge";
  entry.size_bytes = kHugeFileBytes;
  entry.content = DigestOfHuge(noise);
  EXPECT_EQ(report->tree, TreeDigest(std::vector<TreeEntry>{entry}));
}

TEST(HugeFile, DetectsAnEditBeyondFourGibibytes) {
  test::BundleFixture fixture;
  WriteHuge(fixture.source / "huge", RandomBytes(kNoiseBytes, 1));
  const auto before = fixture.Write();
  ASSERT_TRUE(before) << before.error().message;
  std::fstream edit(fixture.source / "huge", std::ios::in | std::ios::out | std::ios::binary);
  edit.seekp(static_cast<std::streamoff>(kHugeFileBytes - 4));
  edit << "edit";
  edit.close();
  const auto after = fixture.Write();
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_NE(after->tree, before->tree);
  EXPECT_LT(after->bytes_stored, 10U << 20);  // a chunk or two, not the file
}

}  // namespace
}  // namespace kinetic::bundle
