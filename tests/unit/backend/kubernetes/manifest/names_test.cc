#include "backend/kubernetes/manifest/names.h"

#include <gtest/gtest.h>

namespace kinetic::backend {
namespace {

TEST(KubernetesNames, NamesJobById) {
  EXPECT_EQ(ObjectName("ab12").value_or(""), "kinetic-ab12");
  EXPECT_EQ(ObjectName(std::string(50, 'a')).value_or("").size(), 58U);
}

TEST(KubernetesNames, LeavesRoomForTasks) {
  EXPECT_TRUE(ObjectName(std::string(50, 'a'), 10'000));
  EXPECT_TRUE(ObjectName(std::string(49, 'a'), 10'001));
  const auto name = ObjectName(std::string(50, 'a'), 10'001);
  ASSERT_FALSE(name);
  EXPECT_NE(name.error().hint.find("1 to 49"), std::string::npos);
}

TEST(KubernetesNames, PodsOfTasksAreNotThoseOfTheirJob) {
  record::Record record;
  record.id = "ab12";
  record.spec.array = ArraySpec{.count = 3};
  const Value labels(PodLabelsOf(record));
  EXPECT_EQ(labels.Find(kJobIdLabel), nullptr);
  EXPECT_EQ(*labels.Find(kArrayIdLabel), Value("ab12"));
}

TEST(KubernetesNames, RejectsIdThatIsNotADnsLabel) {
  for (const std::string id : {"", "-a", "a-", "A", "a_b", "a.b", "a/b", "a b", "\xc3\xa4"}) {
    const auto name = ObjectName(id);
    ASSERT_FALSE(name) << id;
    EXPECT_EQ(name.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(name.error().hint.find("1 to 50"), std::string::npos);
  }
  EXPECT_FALSE(ObjectName(std::string(51, 'a')));
}

TEST(KubernetesNames, ReplacesInvalidLabelCharacters) {
  EXPECT_EQ(LabelValue("genz-sft"), "genz-sft");
  EXPECT_EQ(LabelValue("ana@laptop.local"), "ana-laptop.local");
  EXPECT_EQ(LabelValue("__Ana Lovelace!"), "Ana-Lovelace");
  EXPECT_EQ(LabelValue("M\xc3\xbcller"), "M--ller");
  EXPECT_EQ(LabelValue("@@@"), "");
  EXPECT_EQ(LabelValue(""), "");
}

TEST(KubernetesNames, TruncatesLabelAtValidEnd) {
  const std::string value = LabelValue(std::string(62, 'a') + "--b");
  EXPECT_EQ(value, std::string(62, 'a'));
  EXPECT_EQ(LabelValue(std::string(100, 'x')).size(), 63U);
}

TEST(KubernetesNames, OmitsEmptyLabel) {
  record::Record record;
  record.id = "ab12";
  record.owner = "@";
  const Value labels(LabelsOf(record));
  EXPECT_EQ(labels.Find(kOwnerLabel), nullptr);
  EXPECT_EQ(labels.Find(kNameLabel), nullptr);
  EXPECT_EQ(*labels.Find(kJobIdLabel), Value("ab12"));
}

TEST(KubernetesNames, RecognizesOwnObjects) {
  record::Record record;
  record.id = "ab12";
  Value object = Value::Map{{"metadata", Value::Map{{"labels", LabelsOf(record)}}}};
  EXPECT_EQ(JobIdOf(object), "ab12");
  object = Value::Map{
      {"metadata", Value::Map{{"labels", Value::Map{{std::string(kJobIdLabel), "ab12"}}}}}};
  EXPECT_EQ(JobIdOf(object), "") << "managed by another tool";
  EXPECT_EQ(JobIdOf(Value()), "");
}

}  // namespace
}  // namespace kinetic::backend
