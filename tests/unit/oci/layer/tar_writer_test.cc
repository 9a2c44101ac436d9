#include "kinetic/value.h"

#include "base/hash/digest.h"
#include "base/process/subprocess.h"
#include "base/strings.h"
#include "oci/layer/writer.h"
#include "support/temp_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kinetic::oci {
namespace {

std::string Output(std::vector<std::string> argv) {
  std::string out;
  std::string errors;
  const auto end = kinetic::Run({.argv = std::move(argv),
                                 .environment = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}},
                                 .search_path = "/usr/bin:/bin",
                                 .on_stdout = [&](std::string_view bytes) { out += bytes; },
                                 .on_stderr = [&](std::string_view bytes) { errors += bytes; }},
                                {});
  EXPECT_TRUE(end && end->Succeeded()) << errors;
  EXPECT_EQ(errors, "");
  return out;
}

Value::List ReadByPython(const Path& archive) {
  const auto members = Value::FromJson(Output({PYTHON, READ_TAR, archive}));
  if (!members || members->AsList() == nullptr) return {};
  return *members->AsList();
}

std::string TarOf(std::vector<Entry> entries) {
  std::string tar;
  const auto written = WriteTar(PosixFileSystem(), std::move(entries),
                                [&](std::string_view bytes) -> Status {
                                  tar += bytes;
                                  return {};
                                },
                                {});
  EXPECT_TRUE(written) << written.error().message;
  return tar;
}

std::string TextOf(const Value& member, std::string_view key) {
  const Value* found = member.Find(key);
  return found != nullptr && found->AsString() != nullptr ? *found->AsString() : "?";
}

std::int64_t NumberOf(const Value& member, std::string_view key) {
  const Value* found = member.Find(key);
  return found != nullptr && found->AsInt() != nullptr ? *found->AsInt() : -1;
}

/// One entry of each kind, and names at the limits of the header.
std::vector<Entry> Samples() {
  std::vector<Entry> entries = {
      Entry::FromBytes("empty", ""),
      Entry::FromBytes("bin/program", std::string(511, 'p'), 04755),
      Entry::FromBytes("block", std::string(512, 'b'), 0600),
      Entry::FromBytes("block and a byte", std::string(513, 'c')),
      Entry::Folder("tmp", 01777),
      Entry::Symlink("lib", "/usr/lib"),
      Entry::Symlink("far", std::string(101, 't')),
      Entry::Symlink("strange", "\xC3\xBC"),
      Entry::FromBytes("\xC3\xBC"
                       "ber.txt",
                       "umlaut"),
      Entry::FromBytes("raw\xFF", "no UTF-8"),
      Entry::FromBytes("line\nbreak", "a name of two lines"),
      Entry::Folder(std::string(99, 'f')),
      Entry::Folder(std::string(100, 'g')),
  };
  for (const std::size_t length : {99U, 100U, 101U, 255U, 256U, 990U, 5000U})
    entries.push_back(Entry::FromBytes(std::string(length, 'n'), std::to_string(length)));
  return entries;
}

TEST(Tar, IsReadableByPython) {
  const test::TempTree tree;
  const std::vector<Entry> expected = *NormalizeEntries(Samples());
  const Value::List members = ReadByPython(tree.Write("a.tar", TarOf(Samples())));
  ASSERT_EQ(members.size(), expected.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Entry& entry = expected[i];
    EXPECT_EQ(TextOf(members[i], "path"), ToHex(entry.path));
    EXPECT_EQ(TextOf(members[i], "target"), ToHex(entry.target));
    EXPECT_EQ(NumberOf(members[i], "mode"), entry.mode) << entry.path;
    EXPECT_EQ(NumberOf(members[i], "mtime"), 0);
    EXPECT_EQ(*members[i].Find("owner"), Value(Value::List{0, 0, "", ""}));
    const bool is_file = entry.kind == Entry::Kind::kFile;
    EXPECT_EQ(TextOf(members[i], "kind"), is_file                              ? "file"
                                          : entry.kind == Entry::Kind::kFolder ? "folder"
                                                                               : "link");
    EXPECT_EQ(TextOf(members[i], "sha256"), is_file ? Sha256::Of(entry.bytes).Hex() : "?");
  }
}

TEST(Tar, IsUnpackedByTar) {
  const test::TempTree tree;
  const Path archive = tree.Write(
      "a.tar",
      TarOf({Entry::FromBytes("deep/er/\xC3\xBC", "text", 0640), Entry::Folder("deep", 0750),
             Entry::Symlink("deep/link", "er"), Entry::FromBytes(std::string(200, 'x'), "long")}));
  const Path out = tree.MakeFolder("out");
  Output({"tar", "-x", "-p", "-f", archive, "-C", out});
  EXPECT_EQ(tree.Read("out/deep/er/\xC3\xBC"), "text");
  EXPECT_EQ(tree.Read("out/" + std::string(200, 'x')), "long");
  EXPECT_EQ(PosixFileSystem().Lstat(out / "deep")->mode, 0750U);
  EXPECT_EQ(PosixFileSystem().Lstat(out / "deep/er/\xC3\xBC")->mode, 0640U);
  EXPECT_EQ(PosixFileSystem().Lstat(out / "deep/er")->mode, 0755U);
  EXPECT_EQ(*PosixFileSystem().ReadLink(out / "deep/link"), "er");
}

/// Writes an archive to a sparse file. Large blocks are zeros and not written.
class SparseFile {
 public:
  explicit SparseFile(const Path& path)
      : file_(*PosixFileSystem().Open(path, OpenMode::kCreateNew, 0644)) {}
  Status Write(std::string_view bytes) {
    const std::uint64_t at = size_;
    size_ += bytes.size();
    if (bytes.size() > kSmall) return PosixFileSystem().Truncate(file_.get(), size_);
    return PosixFileSystem().WriteAt(file_.get(), bytes, at);
  }

 private:
  static constexpr std::size_t kSmall = 4096;
  UniqueFd file_;
  std::uint64_t size_ = 0;
};

TEST(Tar, SupportsFilesAbove8GiB) {
  const test::TempTree tree;
  constexpr std::uint64_t kLimit = std::uint64_t{8} << 30;
  const std::string zeros(16 << 20, '\0');
  for (const std::uint64_t size : {kLimit - 1, kLimit, kLimit + 1}) {
    const std::string name = fmt::format("{}.tar", size);
    SparseFile file(tree / name);
    TarWriter tar([&](std::string_view bytes) { return file.Write(bytes); });
    ASSERT_TRUE(tar.BeginEntry(Entry::FromBytes("huge", ""), size));
    for (std::uint64_t left = size; left > 0; left -= std::min<std::uint64_t>(left, zeros.size()))
      ASSERT_TRUE(tar.WriteContent(std::string_view(zeros).substr(0, left)));
    ASSERT_TRUE(tar.BeginEntry(Entry::FromBytes("small", ""), 5));
    ASSERT_TRUE(tar.WriteContent("after"));
    ASSERT_TRUE(tar.Finish());
    const Value::List members = ReadByPython(tree / name);
    ASSERT_EQ(members.size(), 2U) << size;
    EXPECT_EQ(NumberOf(members[0], "size"), static_cast<std::int64_t>(size));
    EXPECT_EQ(TextOf(members[1], "sha256"), Sha256::Of("after").Hex());
    EXPECT_THAT(Output({"tar", "-t", "-v", "-f", tree / name}),
                testing::HasSubstr(std::to_string(size)));
  }
}

TEST(Tar, IsReproducibleInAnyOrder) {
  std::vector<Entry> samples = Samples();
  const std::string once = TarOf(samples);
  std::reverse(samples.begin(), samples.end());
  EXPECT_EQ(TarOf(samples), once);
  EXPECT_EQ(once.size() % 512, 0U);
  EXPECT_EQ(once.substr(once.size() - 1024), std::string(1024, '\0'));
}

TEST(Tar, OmitsTimes) {
  const test::TempTree tree;
  const std::string content(1'000'000, 'd');
  const Path file = tree.Write("file", content, 0600);
  const std::string once = TarOf({Entry::FromFile("f", file)});
  ASSERT_TRUE(PosixFileSystem().SetModifiedTime(file, WallTime{} + std::chrono::hours(99)));
  EXPECT_EQ(TarOf({Entry::FromFile("f", file)}), once);
  EXPECT_EQ(TarOf({Entry::FromBytes("f", content)}), once);
}

Status Ignore(std::string_view) { return {}; }

TEST(Tar, RejectsNonRegularFiles) {
  const test::TempTree tree;
  const auto folder = WriteTar(PosixFileSystem(), {Entry::FromFile("f", tree.path())}, Ignore, {});
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::kInvalidArgument);
  const auto absent = WriteTar(PosixFileSystem(), {Entry::FromFile("f", tree / "no")}, Ignore, {});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::kNotFound);
}

TEST(Tar, DetectsConcurrentChanges) {
  for (const std::string late : {"longer than it was before", ""}) {
    const test::TempTree tree;
    const Path file = tree.Write("file", "some content");
    const auto grow = [&](std::string_view) -> Status {
      tree.Write("file", late);
      return {};
    };
    const auto written = WriteTar(PosixFileSystem(), {Entry::FromFile("f", file)}, grow, {});
    ASSERT_FALSE(written) << late;
    EXPECT_EQ(written.error().code, ErrorCode::kAborted);
  }
}

TEST(Tar, RejectsContentOfWrongSize) {
  TarWriter more(Ignore);
  ASSERT_TRUE(more.BeginEntry(Entry::FromBytes("f", ""), 3));
  EXPECT_FALSE(more.WriteContent("four"));
  TarWriter less(Ignore);
  ASSERT_TRUE(less.BeginEntry(Entry::FromBytes("f", ""), 3));
  ASSERT_TRUE(less.WriteContent("2B"));
  EXPECT_FALSE(less.Finish());
}

TEST(Tar, StopsWhenCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const auto written =
      WriteTar(PosixFileSystem(), {Entry::FromBytes("f", "")}, Ignore, stop.get_token());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace kinetic::oci
