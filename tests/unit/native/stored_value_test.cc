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

TEST(StoredValue, SmallArrayIsReadableWithoutItsFile) {
  const TempTree tree;
  const NdArray<std::uint8_t> array{{1, 2, 3, 4, 5, 255}, {2, 3}};
  ASSERT_TRUE(WriteValue(PosixFileSystem(), array, tree.path()));
  const auto read = Value::FromJson(ValueJson(tree));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->Find("$array")->Find("items")->ToJson(), "[[1,2,3],[4,5,255]]");
  EXPECT_EQ(*read->As<NdArray<std::uint8_t>>(), array);
}

TEST(StoredValue, ArrayWithoutItemsIsReadable) {
  const TempTree tree;
  const NdArray<float> array{{}, {0, 3}};
  ASSERT_TRUE(WriteValue(PosixFileSystem(), array, tree.path()));
  EXPECT_EQ(*Value::FromJson(ValueJson(tree))->As<NdArray<float>>(), array);
}

TEST(StoredValue, LongBytesAreFile) {
  const TempTree tree;
  const std::string content((64U << 10) + 1, 'b');
  const Value value = Value::Map{{"short", Bytes("a")}, {"long", Bytes(content)}};
  ASSERT_TRUE(WriteValue(PosixFileSystem(), value, tree.path()));
  const auto read = Value::FromJson(ValueJson(tree));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->Find("short")->As<Bytes>()->view(), "a");
  const std::string name = *read->Find("long")->Find("$bytes")->As<std::string>("$ref");
  EXPECT_EQ(*ReadFile(PosixFileSystem(), tree.path() / "values" / name, 1U << 20), content);
  const auto absent = read->As<Bytes>("long");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::kFailedPrecondition);
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
