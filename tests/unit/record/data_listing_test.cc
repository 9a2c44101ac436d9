#include "record/data_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace kinetic::record {
namespace {

using testing::HasSubstr;

DataListing SampleListing() {
  return {.bucket = "bucket",
          .prefix = "sets/one/",
          .objects = {{"a.txt", 5, 1'700'000'000'000'001, "AAAAAA=="},
                      {"b-c", 0, 3, ""},
                      {"b/d \"é\".txt", 1ULL << 40, 4, "yv7kKQ=="}}};
}

Status Check(const std::vector<std::string>& paths) {
  std::vector<ListedObject> objects;
  for (const auto& path : paths) objects.push_back({.path = path});
  return CheckPaths(objects);
}

TEST(DataListingTest, RoundTrips) {
  const DataListing listing = SampleListing();
  const auto read = DataListingFromJson(ToJson(listing));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->bucket, listing.bucket);
  EXPECT_EQ(read->prefix, listing.prefix);
  EXPECT_EQ(read->objects, listing.objects);
  EXPECT_EQ(read->Bytes(), (1ULL << 40) + 5);
}

TEST(DataListingTest, HasTheDocumentedFormat) {
  DataListing listing = SampleListing();
  listing.objects.resize(1);
  EXPECT_EQ(ToJson(listing), R"({"version":1,"bucket":"bucket","prefix":"sets/one/",)"
                             R"("objects":[["a.txt",5,1700000000000001,"AAAAAA=="]]})");
}

TEST(DataListingTest, RejectsDamage) {
  const std::string whole = ToJson(SampleListing());
  for (const auto& [old, replacement, words] :
       std::vector<std::array<std::string, 3>>{{"\"version\":1", "\"version\":0", "version"},
                                               {"\"bucket\":\"bucket\"", "\"bucket\":7", "bucket"},
                                               {"[\"a.txt\",5,", "[\"a.txt\",-5,", "objects"},
                                               {"[\"a.txt\",5,", "[5,", "objects"},
                                               {"a.txt", "../a.txt", "../a.txt"},
                                               {"a.txt", "/etc/passwd", "/etc/passwd"},
                                               {"b-c", "b", "cannot both be files"}}) {
    std::string text = whole;
    text.replace(text.find(old), old.size(), replacement);
    const auto read = DataListingFromJson(text);
    ASSERT_FALSE(read) << replacement;
    EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
    EXPECT_THAT(read.error().message, HasSubstr(words));
  }
  EXPECT_FALSE(DataListingFromJson(whole.substr(0, whole.size() / 2)));
}

TEST(DataListingTest, RejectsPathsThatAFolderCannotHold) {
  EXPECT_TRUE(Check({"a", "a-b", "b/c/d", "b/e"}));
  EXPECT_TRUE(Check({"a-b", "a.b", "a/b", "a/c", "ab"}));
  for (const auto& paths : std::vector<std::vector<std::string>>{{"a", "a"},
                                                                 {"a", "a/b"},
                                                                 {"a", "a-b", "a.c", "a/b"},
                                                                 {"a/b", "a/b-c", "a/b/c/d"},
                                                                 {".."},
                                                                 {"a/../b"},
                                                                 {"a//b"},
                                                                 {"a/."},
                                                                 {"bell\a"},
                                                                 {std::string(256, 'x')},
                                                                 {""}}) {
    const Status checked = Check(paths);
    ASSERT_FALSE(checked) << testing::PrintToString(paths);
    EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace kinetic::record
