#include "base/process/subprocess.h"
#include "oci/inspect/tree.h"
#include "oci/layer/writer.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::oci {
namespace {

using kinetic::test::TempTree;

std::string Format(const LayerEntry& entry) {
  switch (entry.kind) {
    case LayerEntry::Kind::kFolder:
      return entry.path + " folder";
    case LayerEntry::Kind::kFile:
      return entry.path + (entry.executable ? " program" : " file");
    case LayerEntry::Kind::kSymlink:
      return entry.path + " -> " + entry.target;
    case LayerEntry::Kind::kOther:
      return entry.path + " other";
  }
  return {};
}

class ListLayerTest : public testing::Test {
 protected:
  Status List(const Path& file, const std::stop_token& stop = {}) {
    listed_.clear();
    return ListLayer(
        PosixFileSystem(), file, [&](const LayerEntry& entry) { listed_.push_back(Format(entry)); },
        stop);
  }
  Path WriteByPython(std::vector<std::string> how) {
    std::vector<std::string> argv{PYTHON, WRITE_LAYER, tree_ / "layer"};
    argv.insert(argv.end(), how.begin(), how.end());
    const auto end = kinetic::Run(
        {.argv = argv, .environment = {{"PATH", "/usr/bin:/bin"}}, .search_path = "/usr/bin:/bin"},
        {});
    EXPECT_TRUE(end && end->Succeeded());
    return tree_ / "layer";
  }
  Path WriteByKinetic(ImageCompression compression) {
    std::string bytes;
    const auto take = [&](std::string_view piece) -> Status {
      bytes += piece;
      return {};
    };
    std::vector<Entry> entries{Entry::FromBytes("a/b", "content", 0755),
                               Entry::Symlink("c", "a/b")};
    EXPECT_TRUE(WriteLayer(PosixFileSystem(), entries, compression, take, {}));
    return tree_.Write("ours", bytes);
  }

  TempTree tree_;
  std::vector<std::string> listed_;
};

TEST_F(ListLayerTest, ReadsAllFormats) {
  const std::string long_name = "long/" + std::string(90, 'n') + "/" + std::string(90, 'm');
  const std::vector<std::string> all{
      "./ folder",         "./bin/ folder",          "bin/tool program",
      "bin/again program", "bin/alias -> /bin/tööl", "dev/null other",
      "übung file",        long_name + " file"};
  for (const char* form : {"gnu", "pax", "ustar"}) {
    for (const char* compression : {"", "gz"}) {
      std::vector<std::string> how{form};
      if (*compression != '\0') how.emplace_back(compression);
      const Status listed = List(WriteByPython(how));
      ASSERT_TRUE(listed) << form << listed.error().message;
      // Names that are not UTF-8 are unchanged, except in pax.
      if (std::string(form) != "ustar") {
        EXPECT_EQ(listed_.size(), all.size() + 1);
        EXPECT_TRUE(listed_.back().starts_with("raw") || listed_.back() == " file")
            << listed_.back();
        listed_.pop_back();
      }
      EXPECT_EQ(listed_, all) << form;
    }
  }
}

TEST_F(ListLayerTest, ReadsOwnLayers) {
  for (const auto compression : {ImageCompression::kGzip, ImageCompression::kZstd}) {
    ASSERT_TRUE(List(WriteByKinetic(compression)));
    EXPECT_EQ(listed_, (std::vector<std::string>{"a/ folder", "a/b program", "c -> a/b"}));
  }
}

TEST_F(ListLayerTest, AcceptsAnEmptyLayer) {
  EXPECT_TRUE(List(tree_.Write("zeros", std::string(1024, '\0'))));
  EXPECT_TRUE(listed_.empty());
}

TEST_F(ListLayerTest, ReportsErrors) {
  const std::string whole = tree_.Read(WriteByPython({"pax", "gz"}).filename().native());
  for (const std::string& bytes : {whole.substr(0, whole.size() / 2), std::string("no archive"),
                                   whole.substr(0, 40), std::string(2000, 'x')}) {
    const Status listed = List(tree_.Write("broken", bytes));
    ASSERT_FALSE(listed) << bytes.size();
    EXPECT_EQ(listed.error().code, ErrorCode::kDataLoss);
    EXPECT_NE(listed.error().message.find("broken"), std::string::npos);
  }
  EXPECT_EQ(List(tree_ / "absent").error().code, ErrorCode::kNotFound);
  EXPECT_NE(List(tree_.path()).error().code, ErrorCode::kDataLoss);
}

TEST_F(ListLayerTest, StopsWhenCancelled) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(List(WriteByKinetic(ImageCompression::kGzip), stop.get_token()).error().code,
            ErrorCode::kCancelled);
}

}  // namespace
}  // namespace kinetic::oci
