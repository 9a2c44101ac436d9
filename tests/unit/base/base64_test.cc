#include "base/base64.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

TEST(Base64, WritesTheVectorsOfTheStandard) {
  EXPECT_EQ(Base64Encode(""), "");
  EXPECT_EQ(Base64Encode("f"), "Zg==");
  EXPECT_EQ(Base64Encode("fo"), "Zm8=");
  EXPECT_EQ(Base64Encode("foobar"), "Zm9vYmFy");
}

TEST(Base64, ReadsWhatItWrote) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
    EXPECT_EQ(Base64Decode(Base64Encode(bytes)), bytes);
  }
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text : {"Z", "Zg=", "Zg", "Z===", "Zg==\n", "Z=g=", "Zm8 "}) {
    EXPECT_FALSE(Base64Decode(text)) << text;
  }
}

TEST(Base64, HasAFormForAddresses) { EXPECT_EQ(Base64UrlEncode("\xfb\xff\xfe?"), "-__-Pw"); }

}  // namespace
}  // namespace kinetic
