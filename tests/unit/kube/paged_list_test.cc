#include "kube/object.h"
#include "unit/kube/scripted_client.h"

#include <vector>

namespace kinetic::test {
namespace {

class KubePagesTest : public KubeTest {
 protected:
  Result<std::string> List(const std::string& name_space = "ml",
                           const kube::ListOptions& query = {}) {
    return client_.List(kube::kJobs, name_space, query,
                        [&](const Value& item) -> Status {
                          names_.emplace_back(kube::NameOf(item));
                          return {};
                        },
                        {});
  }
  using Names = std::vector<std::string>;
  Names names_;
};

TEST_F(KubePagesTest, ReadsAllPages) {
  transport_.Answer(200, ListOf("9", Object("a", "1", "3"), "t&1"))
      .Answer(200, ListOf("9", Object("b", "2", "4")));
  const auto listed = List("ml", {"app=x,b in (c)", "metadata.name=n"});
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(*listed, "9");
  EXPECT_EQ(names_, (Names{"a", "b"}));
  EXPECT_EQ(transport_.sent().at(0).url,
            "https://c/apis/batch/v1/namespaces/ml/jobs?labelSelector=app%3Dx%2Cb%20in%20%28c%29&"
            "fieldSelector=metadata.name%3Dn&limit=500");
  EXPECT_TRUE(transport_.sent().at(1).url.ends_with("&limit=500&continue=t%261"));
}

TEST_F(KubePagesTest, RestartsAnExpiredListWithoutDuplicates) {
  transport_.Answer(200, ListOf("9", Object("a", "1", "3"), "t"))
      .Answer(410, Refusal(410, "Expired", "The provided continue parameter is too old"))
      .Answer(200, ListOf("12", Object("a", "1", "3"), "t2"))
      .Answer(200, ListOf("12", Object("b", "2", "4")));
  const auto listed = List();
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(*listed, "12");
  EXPECT_EQ(names_, (Names{"a", "b"}));
}

TEST_F(KubePagesTest, ListsAllNamespaces) {
  transport_.Answer(200, R"({"metadata":{"resourceVersion":"1"},"items":null})");
  ASSERT_TRUE(List(""));
  EXPECT_EQ(transport_.sent().at(0).url, "https://c/apis/batch/v1/jobs?limit=500");
}

TEST_F(KubePagesTest, ReportsMalformedResponses) {
  for (const char* body : {"", "{}", R"({"metadata":{"resourceVersion":"1"},"items":{}})"}) {
    transport_.Answer(200, body);
    const auto listed = List();
    ASSERT_FALSE(listed) << body;
    EXPECT_EQ(listed.error().code, ErrorCode::kDataLoss);
    EXPECT_TRUE(listed.error().message.starts_with("listing jobs in namespace ml: "));
  }
}

TEST_F(KubePagesTest, EndsOnAnErrorOfTheCaller) {
  transport_.Answer(200, ListOf("9", Object("a", "1", "3"), "t"));
  const auto listed =
      client_.List(kube::kJobs, "ml", {},
                   [](const Value&) -> Status { return Fail(ErrorCode::kAborted, "enough"); }, {});
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().message, "enough");
  EXPECT_TRUE(transport_.Done());
}

}  // namespace
}  // namespace kinetic::test
