#include "env/pep/requirement.h"

#include "env/dependencies/index_settings.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace kinetic::env {
namespace {

const std::string kHexHash(64, 'a');

std::string NormalRequirement(std::string_view text) {
  const auto requirement = Requirement::Parse(text);
  return requirement ? requirement->ToString() : "error: " + requirement.error().message;
}

TEST(Requirement, HasOneNormalForm) {
  EXPECT_EQ(NormalRequirement("Six"), "six");
  EXPECT_EQ(NormalRequirement("zope.Interface >=5 , < 6"), "zope-interface<6,>=5");
  EXPECT_EQ(NormalRequirement("foo[B_b,a,A] (==1.0)"), "foo[a,b-b]==1.0");
  EXPECT_EQ(NormalRequirement("foo[]"), "foo");
  EXPECT_EQ(NormalRequirement("foo>=1;python_version<'3.9'"), "foo>=1; python_version < \"3.9\"");
  EXPECT_EQ(NormalRequirement("foo @ https://h.example/a-1.0.zip ; os_name == 'nt'"),
            "foo @ https://h.example/a-1.0.zip ; os_name == \"nt\"");
  EXPECT_EQ(NormalRequirement("foo@https://h.example/a.zip#subdirectory=x&sha256=" + kHexHash),
            "foo @ https://h.example/a.zip#subdirectory=x --hash=sha256:" + kHexHash);
}

TEST(Requirement, ErrorHasReasonAndOffset) {
  EXPECT_EQ(NormalRequirement(""), "error: expected the name of a package, found the end");
  EXPECT_EQ(NormalRequirement("-foo"), "error: expected the name of a package, found '-foo'");
  EXPECT_EQ(NormalRequirement("foo bar"),
            "error: expected a comparison such as '>=1.0', found 'bar'");
  EXPECT_EQ(NormalRequirement("foo[a"), "error: expected ',' or ']', found the end");
  EXPECT_EQ(NormalRequirement("foo (>=1"), "error: expected ')', found the end");
  EXPECT_EQ(NormalRequirement("foo @ "), "error: expected a URL, found the end");
  const auto marker = Requirement::Parse("foo>=1; os_nam == 'x'");
  ASSERT_FALSE(marker);
  EXPECT_EQ(marker.error().details.at(0).second, "8");
}

TEST(Requirement, RecognizesPinnedVersions) {
  EXPECT_TRUE(Requirement::Parse("a==1")->Pinned());
  EXPECT_TRUE(Requirement::Parse("a @ https://h.example/a.whl")->Pinned());
  EXPECT_FALSE(Requirement::Parse("a>=1")->Pinned());
}

TEST(Hash, RejectsWeakAndTruncatedHashes) {
  EXPECT_EQ(*ParseHash("SHA256:" + std::string(64, 'A')), "sha256:" + kHexHash);
  EXPECT_EQ(*ParseHash("sha256=" + kHexHash), "sha256:" + kHexHash);
  EXPECT_FALSE(ParseHash("md5:" + std::string(32, 'a')));
  EXPECT_FALSE(ParseHash("sha256:abc"));
  EXPECT_FALSE(ParseHash("sha256:" + std::string(64, 'g')));
  EXPECT_FALSE(ParseHash("sha256"));
}

TEST(Names, AreNormalized) {
  EXPECT_EQ(NormalizedName("Foo.._-Bar"), "foo-bar");
  EXPECT_TRUE(IsPackageName("a.b-c_D1"));
  EXPECT_FALSE(IsPackageName("-a"));
  EXPECT_FALSE(IsPackageName("a."));
  EXPECT_FALSE(IsPackageName("a b"));
}

TEST(Urls, AreRedacted) {
  EXPECT_EQ(RedactUrl("https://ana:pw@Host.example/Simple/?token=x"),
            "https://host.example/Simple");
  EXPECT_EQ(RedactUrl("https://${USER}:${PASS}@h.example/simple"), "https://h.example/simple");
  EXPECT_EQ(RedactUrl("https://h.example/a.zip?sig=1#subdirectory=x"),
            "https://h.example/a.zip#subdirectory=x");
  EXPECT_EQ(WithoutCredentials("at https://ana:pw@h.example/x and https://b@h/"),
            "at https://***@h.example/x and https://***@h/");
  EXPECT_EQ(WithoutCredentials("cut 'https://ana:passw'"), "cut 'https://***'");
  EXPECT_EQ(WithoutCredentials("kept https://h.example:8080/x"), "kept https://h.example:8080/x");
}

TEST(Urls, FullFormIsPrivate) {
  const std::map<std::string, std::string> environment{{"TOKEN", "s3cret"},
                                                       {"URL", "https://u:p@h.example/all"}};
  PrivateUrls secrets;
  UrlReader reader(environment, secrets);
  EXPECT_EQ(*reader.Index("https://ana:${TOKEN}@h.example/simple/"), "https://h.example/simple");
  EXPECT_EQ(*reader.Index("https://h.example/${TOKEN}/simple"),
            "https://h.example/${TOKEN}/simple");
  EXPECT_EQ(*reader.Index("${URL}"), "https://h.example/all");
  EXPECT_EQ(*reader.Index("https://open.example/simple/"), "https://open.example/simple");
  EXPECT_EQ(secrets,
            (PrivateUrls{{"https://h.example/simple", "https://ana:s3cret@h.example/simple/"},
                         {"https://h.example/${TOKEN}/simple", "https://h.example/s3cret/simple"},
                         {"https://h.example/all", "https://u:p@h.example/all"}}));
  EXPECT_EQ(reader.Index("https://${NONE}@h.example").error().message,
            "the environment variable NONE is not set");
  EXPECT_EQ(reader.Index("ftp://h.example").error().message,
            "'ftp://h.example' is not an http or https URL");
  const auto found = SecretsIn(secrets);
  EXPECT_NE(std::find(found.begin(), found.end(), "s3cret"), found.end());
}

TEST(Urls, AreReadFromEnvironment) {
  PrivateUrls secrets;
  const auto index = IndexSettingsFromEnvironment(
      {{"PIP_INDEX_URL", "https://a:b@one.example/simple"},
       {"UV_INDEX", "own=https://two.example/simple https://three.example/simple"},
       {"PIP_EXTRA_INDEX_URL", "https://two.example/simple/"}},
      secrets);
  EXPECT_EQ(index.url, "https://one.example/simple");
  EXPECT_EQ(index.extra_urls, (std::vector<std::string>{"https://two.example/simple",
                                                        "https://three.example/simple"}));
  EXPECT_EQ(secrets.size(), 1U);
}

}  // namespace
}  // namespace kinetic::env
