#include "http/url.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::http {
namespace {

TEST(PercentEncode, KeepsUnreservedCharacters) {
  EXPECT_EQ(PercentEncode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(PercentEncode("a/b c?%#ü"), "a%2Fb%20c%3F%25%23%C3%BC");
}

TEST(PercentDecode, ReversesPercentEncode) {
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  EXPECT_EQ(PercentDecode(PercentEncode(every)), every);
  EXPECT_EQ(PercentDecode("100%"), "100%");
  EXPECT_EQ(PercentDecode("%4"), "%4");
  EXPECT_EQ(PercentDecode("%zz"), "%zz");
  EXPECT_EQ(PercentDecode("a%41"), "aA");
}

TEST(Url, IsBuiltFromParts) {
  EXPECT_EQ(Url("https://h/")
                .Raw("/storage/v1")
                .Part("b")
                .Part("a/b")
                .Query("x", "1&2")
                .Query("y", "")
                .Text(),
            "https://h/storage/v1/b/a%2Fb?x=1%262&y=");
}

TEST(ParseUrl, ReturnsTheComponents) {
  const auto parts = ParseUrl("HTTPS://ana:pw@Host.Example:8443/a/b?c=d#e");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->scheme, "https");
  EXPECT_EQ(parts->user_info, "ana:pw");
  EXPECT_EQ(parts->host, "host.example");
  EXPECT_EQ(parts->port, "8443");
  EXPECT_EQ(parts->path, "/a/b");
  EXPECT_EQ(parts->query, "c=d");
}

TEST(ParseUrl, AcceptsIpv6Addresses) {
  const auto parts = ParseUrl("http://[::1]:80");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->host, "[::1]");
  EXPECT_EQ(parts->port, "80");
  EXPECT_EQ(ParseUrl("http://[::1]/x")->port, "");
}

TEST(ParseUrl, RejectsInvalidUrls) {
  for (const char* text : {"", "host/path", "://h", "http://", "http:///p", "http://h:99999/",
                           "http://h:x/", "http://h/a b", "http://h/\n"}) {
    const auto parts = ParseUrl(text);
    ASSERT_FALSE(parts) << text;
    EXPECT_EQ(parts.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(ParseUrl, OmitsPasswordsFromErrors) {
  const auto parts = ParseUrl("http://ana:secret@h:x/");
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().message.find("secret"), std::string::npos);
}

TEST(IsLoopback, AcceptsThisMachineOnly) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1.2.3", "[::1]"}) {
    EXPECT_TRUE(IsLoopback(host)) << host;
  }
  for (const char* host : {"127.0.0.1.example", "localhost.example", "128.0.0.1", "[::2]", ""}) {
    EXPECT_FALSE(IsLoopback(host)) << host;
  }
}

}  // namespace
}  // namespace kinetic::http
