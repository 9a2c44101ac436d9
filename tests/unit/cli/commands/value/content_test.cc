#include "commands/value/content.h"

#include <gtest/gtest.h>

namespace kinetic::cli {
namespace {

TEST(DecodeBase64, ReadsTheVectorsOfRfc4648) {
  EXPECT_EQ(DecodeBase64(""), "");
  EXPECT_EQ(DecodeBase64("Zg=="), "f");
  EXPECT_EQ(DecodeBase64("Zm8="), "fo");
  EXPECT_EQ(DecodeBase64("Zm9v"), "foo");
  EXPECT_EQ(DecodeBase64("Zm9vYg=="), "foob");
  EXPECT_EQ(DecodeBase64("Zm9vYmE="), "fooba");
  EXPECT_EQ(DecodeBase64("Zm9vYmFy"), "foobar");
}

TEST(DecodeBase64, ReadsEveryByte) {
  EXPECT_EQ(DecodeBase64("AP+/"), std::string("\0\xff\xbf", 3));
}

TEST(DecodeBase64, RefusesWhatIsNone) {
  for (const char* text : {"Zg", "Z===", "====", "Zm9v!A==", "Zm=v", "Zm8=\n"})
    EXPECT_FALSE(DecodeBase64(text)) << text;
}

}  // namespace
}  // namespace kinetic::cli
