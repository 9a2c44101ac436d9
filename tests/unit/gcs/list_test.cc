#include "unit/gcs/scripted_client.h"

namespace kinetic::test {
namespace {

TEST_F(GcsTest, ListReadsAllPages) {
  transport_.Answer(200, R"({"items":[)" + Resource("a", "") + R"(],"nextPageToken":"t&1"})")
      .Answer(200, R"({"nextPageToken":"t2","prefixes":["p/"]})")
      .Answer(200, R"({"items":[)" + Resource("b", "") + "]}");
  std::vector<std::string> names;
  std::vector<std::string> prefixes;
  const Status listed = client_.List({.prefix = "x/", .start = "x/3", .delimiter = "/"},
                                     [&](const gcs::Object& object) -> Result<bool> {
                                       names.push_back(object.name);
                                       return true;
                                     },
                                     &prefixes, {});
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(prefixes, std::vector<std::string>{"p/"});
  EXPECT_NE(transport_.sent().at(0).url.find("prefix=x%2F&startOffset=x%2F3&delimiter=%2F"),
            std::string::npos);
  EXPECT_NE(transport_.sent().at(1).url.find("pageToken=t%261"), std::string::npos);
}

TEST_F(GcsTest, ListRejectsARepeatedPageToken) {
  for (const char* token : {"a", "b", "a"})
    transport_.Answer(200, R"({"nextPageToken":")" + std::string(token) + R"("})");
  const Status listed =
      client_.List({}, [](const gcs::Object&) -> Result<bool> { return true; }, nullptr, {});
  ASSERT_FALSE(listed);
  EXPECT_NE(listed.error().message.find("the same page token twice"), std::string::npos);
}

TEST_F(GcsTest, ListEndsAfterEndlessEmptyPages) {
  for (int page = 0; page < 1'000; ++page)
    transport_.Answer(200, R"({"items":[],"nextPageToken":")" + std::to_string(page) + R"("})");
  const Status listed =
      client_.List({}, [](const gcs::Object&) -> Result<bool> { return true; }, nullptr, {});
  ASSERT_FALSE(listed);
  EXPECT_NE(listed.error().message.find("1000 empty pages"), std::string::npos);
}

TEST_F(GcsTest, ListStopsWhenTheCallbackReturnsFalse) {
  transport_.Answer(200, R"({"items":[)" + Resource("a", "") + "," + Resource("b", "") +
                             R"(],"nextPageToken":"t"})");
  int seen = 0;
  ASSERT_TRUE(client_.List({}, [&](const gcs::Object&) -> Result<bool> { return ++seen < 1; },
                           nullptr, {}));
  EXPECT_EQ(seen, 1);
  EXPECT_TRUE(transport_.Done());
}

TEST_F(GcsTest, ListReportsMalformedResponses) {
  for (const char* json :
       {"", "[", R"({"items":[{}]})", R"({"items":3})",
        R"({"items":[{"name":"a","size":"x","generation":"1","metageneration":"1"}]})"}) {
    ScriptedTransport transport;
    for (int read = 0; read < 3; ++read) transport.Answer(200, json);
    const gcs::Client client(transport, clock_, "bucket");
    const Status listed =
        client.List({}, [](const gcs::Object&) -> Result<bool> { return true; }, nullptr, {});
    ASSERT_FALSE(listed) << json;
    EXPECT_EQ(listed.error().code, ErrorCode::kDataLoss);
    EXPECT_NE(listed.error().message.find("gs://bucket"), std::string::npos);
  }
}

TEST_F(GcsTest, ListRetriesDamagedResponses) {
  transport_.Answer(200, R"({"items":[)" + Resource("a", "") + "]")
      .Answer(200, R"({"items":[)" + Resource("a", "") + "]}");
  int seen = 0;
  ASSERT_TRUE(client_.List({}, [&](const gcs::Object&) -> Result<bool> { return ++seen > 0; },
                           nullptr, {}));
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace kinetic::test
