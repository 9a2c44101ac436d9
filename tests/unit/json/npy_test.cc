#include "json/npy.h"

#include <gtest/gtest.h>

namespace kinetic::json {
namespace {

/// Returns an .npy file of format 1 with a header as numpy writes it, and these items.
std::string Npy(std::string_view header, std::string_view items) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  return file.append(header).append(items);
}

template <typename T>
std::string MessageOf(const Result<T>& result) {
  return result ? "read" : result.error().message;
}

TEST(Npy, HeaderEndsWithNewlineAndItemsAreAligned) {
  const std::string file = WriteNpy({'f', 4}, std::string(24, '\0'), {2, 3});
  const auto parts = SplitNpy(file);
  ASSERT_TRUE(parts);
  EXPECT_TRUE(
      parts->header.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"));
  EXPECT_TRUE(parts->header.ends_with('\n'));
  EXPECT_EQ((file.size() - parts->items.size()) % 64, 0U);
  const std::string bytes = WriteNpy({'u', 1}, "abc", {3});
  EXPECT_TRUE(SplitNpy(bytes)->header.starts_with(
      "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }"));
}

TEST(Npy, ReadsColumnMajorArrays) {
  const std::string file =
      Npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", "adbecf");
  EXPECT_EQ(ReadNpy(Bytes(file), {'u', 1})->items, "abcdef");
  const std::string cube =
      Npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2, 2), }\n", "aecgbfdh");
  EXPECT_EQ(ReadNpy(Bytes(cube), {'u', 1})->items, "abcdefgh");
}

TEST(Npy, RejectsOtherTypesAndDamage) {
  const auto read = [](std::string_view header, std::string_view items = "12345678") {
    return MessageOf(ReadNpy(Bytes(Npy(header, items)), {'f', 8}));
  };
  EXPECT_EQ(read("{'descr': '<f8', 'fortran_order': False, 'shape': (), }"), "read");
  EXPECT_EQ(read("{'descr': '<f2', 'fortran_order': False, 'shape': (4,), }"),
            "expected array of float64, found array of float16");
  EXPECT_EQ(read("{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }"),
            "expected array of float64, found array of >f8");
  EXPECT_EQ(read("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"),
            "shape (2,) does not match 1 items");
  EXPECT_EQ(read("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", "123456789"),
            "shape (1,) does not match 1 items");
  EXPECT_EQ(read("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }"),
            "is damaged: its shape is not a tuple of integers");
  EXPECT_EQ(read("{'descr': '<f8', 'fortran_order': False, 'shape': 1 }"),
            "is damaged: its shape is not a tuple");
  const std::string huge = "(4294967296, 4294967296, 1)";
  EXPECT_EQ(read("{'descr': '<f8', 'fortran_order': False, 'shape': " + huge + ", }", ""),
            "shape (4294967296, 4294967296, 1) does not match 0 items");
}

TEST(Npy, ChecksTheNumberOfItems) {
  const auto check = [](std::string_view items, const std::vector<std::size_t>& shape) {
    const Status checked = CheckNpy(Bytes(WriteNpy({'i', 2}, items, shape)));
    return checked ? "good" : checked.error().message;
  };
  EXPECT_EQ(check("12345678", {2, 2}), "good");
  EXPECT_EQ(check("12345678", {2, 3}), "shape (2, 3) does not match 4 items");
  EXPECT_EQ(check("", {0, 3}), "good");
}

}  // namespace
}  // namespace kinetic::json
