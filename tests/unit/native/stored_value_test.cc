#include "native/stored_value.h"

#include "kinetic/fields.h"

#include "base/hash/digest.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>

namespace kinetic::native {
namespace {

using test::TempTree;
using ::testing::HasSubstr;

std::string ValueJson(const TempTree& tree) {
  return *ReadFile(PosixFileSystem(), tree.path() / "value.json", 1U << 20);
}

TEST(StoredValue, ArraysAreFilesNamedByTheirDigest) {
  const TempTree tree;
  const Value value = Value::Map{{"plain", 1}, {"numbers", ToValue(std::vector<float>(1000, 2))}};
  const auto size = WriteValue(PosixFileSystem(), value, tree.path());
  ASSERT_TRUE(size) << size.error();
  const auto read = Value::FromJson(ValueJson(tree));
  ASSERT_TRUE(read) << read.error();
  const Value& array = *read->Find("numbers")->Find("$array");
  EXPECT_EQ(*array.As<std::string>("dtype"), "float32");
  const std::string name = *array.As<std::string>("$ref");
  const auto file = ReadFile(PosixFileSystem(), tree.path() / "values" / name, 1U << 20);
  ASSERT_TRUE(file) << file.error();
  EXPECT_EQ(Sha256::Of(*file).Hex(), name);
  EXPECT_THAT(*file, HasSubstr("(1000,)"));
}

TEST(StoredValue, TextMustBeUtf8) {
  const TempTree tree;
  const auto written =
      WriteValue(PosixFileSystem(), Value::Map{{"a", Value::List{"\xff"}}}, tree.path());
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("value.a[0]: the text is not valid UTF-8"));
}

TEST(StoredValue, LongJsonIsRefused) {
  const TempTree tree;
  const auto written = WriteValue(PosixFileSystem(), std::string(65U << 20, 'x'), tree.path());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(written.error().message, HasSubstr("longer than 64 MiB"));
}

}  // namespace
}  // namespace kinetic::native
