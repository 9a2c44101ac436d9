#include "http/url.h"

#include <gtest/gtest.h>

#include <vector>

namespace kinetic::http {
namespace {

TEST(IsSameOrigin, ComparesSchemeHostAndPort) {
  EXPECT_TRUE(IsSameOrigin("https://h/v2/x", "https://H:443"));
  EXPECT_TRUE(IsSameOrigin("http://[::1]:80/x", "http://[::1]"));
  EXPECT_FALSE(IsSameOrigin("https://h:444/v2/x", "https://h"));
  EXPECT_FALSE(IsSameOrigin("http://h/v2/x", "https://h"));
  EXPECT_FALSE(IsSameOrigin("https://h.example/", "https://h"));
  EXPECT_FALSE(IsSameOrigin("/v2/x", "https://h"));
}

struct Case {
  const char* service;
  const char* url;
  bool may;
};

TEST(MayReceiveCredential, OnlyTheServiceAndGooglesApis) {
  constexpr const char* kGoogle = "https://storage.googleapis.com";
  constexpr const char* kLocal = "http://localhost:4443";
  const std::vector<Case> cases = {
      {kGoogle, "https://storage.googleapis.com/upload/x?upload_id=1", true},
      {kGoogle, "https://STORAGE.googleapis.com:443/x", true},
      {kGoogle, "https://storage.europe-west4.rep.googleapis.com/x", true},
      {kGoogle, "https://storage.googleapis.com:8443/x", false},
      {kGoogle, "http://storage.googleapis.com/x", false},
      {kGoogle, "https://googleapis.com.example/x", false},
      {kGoogle, "https://evilgoogleapis.com/x", false},
      {kGoogle, "https://storage.googleapis.com@evil.example/x", false},
      {kGoogle, "https://evil.example\\@storage.googleapis.com/x", false},
      {kGoogle, "https://evil.example#.googleapis.com/", false},
      {kGoogle, "https://evil.example?.googleapis.com/", false},
      {kGoogle, "https://evil.example%2f.googleapis.com/", false},
      {kGoogle, "https://evil.example", false},
      {kGoogle, "//storage.googleapis.com/x", false},
      {kGoogle, "/x", false},
      {kGoogle, "", false},
      {kGoogle, "ftp://storage.googleapis.com/x", false},
      {"", "https://storage.googleapis.com/x", true},
      {"", "http://localhost:4443/x", false},
      {kLocal, "http://localhost:4443/upload/x", true},
      {kLocal, "http://localhost:4444/upload/x", false},
      {kLocal, "http://127.0.0.1:4443/upload/x", false},
      {kLocal, "https://storage.googleapis.com/x", true},
      {"https://storage.example", "http://storage.example/x", false},
      {"https://storage.example", "https://other.example/x", false},
      {"https://storage.example/gcs", "https://storage.example/x", true},
      {"ftp://h", "ftp://h", false},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(MayReceiveCredential(each.service, each.url), each.may)
        << each.service << " " << each.url;
  }
}

}  // namespace
}  // namespace kinetic::http
