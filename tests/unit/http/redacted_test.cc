#include "http/headers.h"
#include "http/url.h"

#include <gtest/gtest.h>

namespace kinetic::http {
namespace {

TEST(RedactedUrl, LeavesOutUserAndPassword) {
  EXPECT_EQ(RedactedUrl("https://ana:pw@h.example:8443/a?b=c").Text(),
            "https://h.example:8443/a?b=c");
  EXPECT_EQ(RedactedUrl("https://ana:p@w@h/a").Text(), "https://h/a");
}

TEST(RedactedUrl, KeepsAnAtSignInThePath) {
  EXPECT_EQ(RedactedUrl("https://h/a@b?x=1@2").Text(), "https://h/a@b?x=1@2");
}

TEST(RedactedUrl, LeavesOutParametersThatAreCredentials) {
  EXPECT_EQ(RedactedUrl("https://h/o?uploadType=resumable&upload_id=AB&name=n").Text(),
            "https://h/o?uploadType=resumable&upload_id=[secret]&name=n");
  EXPECT_EQ(
      RedactedUrl("https://h/o?X-Goog-Signature=ff&X-Goog-Credential=a&access_token=t").Text(),
      "https://h/o?X-Goog-Signature=[secret]&X-Goog-Credential=[secret]&access_token=[secret]");
}

TEST(RedactedUrl, KeepsPageTokens) {
  EXPECT_EQ(RedactedUrl("https://h/o?pageToken=abc").Text(), "https://h/o?pageToken=abc");
}

TEST(RedactedUrl, DropsFragmentsAndShowsControlCharacters) {
  EXPECT_EQ(RedactedUrl("https://h/a#token=1").Text(), "https://h/a");
  EXPECT_EQ(RedactedUrl("https://h/a\nb").Text().find('\n'), std::string::npos);
}

TEST(Redacted, HidesCredentialsInHeaders) {
  const Headers headers{{"Authorization", "Bearer ya29.x"},
                        {"Location", "https://h/o?upload_id=AB"},
                        {"X-GUploader-UploadID", "AB"},
                        {"X-Api-Key", "k"},
                        {"Content-Type", "text/plain"}};
  const std::string text = Redacted(headers);
  EXPECT_EQ(text,
            "Authorization: [secret]\nLocation: https://h/o?upload_id=[secret]\n"
            "X-GUploader-UploadID: [secret]\nX-Api-Key: [secret]\n"
            "Content-Type: text/plain\n");
}

}  // namespace
}  // namespace kinetic::http
