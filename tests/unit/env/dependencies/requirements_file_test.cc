#include "env/dependencies/dependency_files.h"
#include "unit/env/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kOther = "sha256:" + std::string(64, 'b');

using Files = std::map<std::string, std::string>;

Result<RequirementsFile> ReadFiles(const Files& files,
                                   const std::map<std::string, std::string>& environment = {}) {
  const ReadFileFunction source = [&](const Path& path) -> Result<std::string> {
    const auto found = files.find(path.native());
    if (found == files.end()) return Fail(ErrorCode::kNotFound, "no " + path.native());
    return found->second;
  };
  return ReadRequirements("/p/requirements.txt", source, environment);
}

Result<RequirementsFile> ReadText(const std::string& text) {
  return ReadFiles({{"/p/requirements.txt", text}});
}

std::string RequirementsError(const std::string& text) {
  const auto file = ReadText(text);
  return file ? "no error" : file.error().message;
}

TEST(RequirementsFile, ReadsTheGrammar) {
  const auto file = ReadText(
      "\xEF\xBB\xBF# a comment\r\n"
      "Six == 1.16.0   # why\r\n"
      "\r\n"
      "requests[socks] \\\r\n"
      "    >=2.0, \\\r\n"
      "    <3\r\n"
      "foo>=1; python_version < '3.9'\r"
      "bar @ https://h.example/bar-1.0.zip\n"
      "https://h.example/some_wheel-2.0-py3-none-any.whl\n"
      "  indented~=1.0  ");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(Lines(file->requirements),
              ElementsAre("six==1.16.0", "requests[socks]<3,>=2.0",
                          "foo>=1; python_version < \"3.9\"", "bar @ https://h.example/bar-1.0.zip",
                          "some-wheel @ https://h.example/some_wheel-2.0-py3-none-any.whl",
                          "indented~=1.0"));
}

TEST(RequirementsFile, ReadsOptions) {
  const auto file = ReadText(
      "-i https://a.example/simple\n"
      "--extra-index-url=https://b.example/simple\n"
      "--extra-index-url 'https://b.example/simple/'\n"
      "-f https://c.example/links\n"
      "--trusted-host B.example\n"
      "--no-binary Foo_a,bar\n"
      "--only-binary=:all:\n"
      "--pre\n"
      "--prefer-binary\n"
      "six\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->index.url, "https://a.example/simple");
  EXPECT_THAT(file->index.extra_urls, ElementsAre("https://b.example/simple"));
  EXPECT_THAT(file->index.find_links, ElementsAre("https://c.example/links"));
  EXPECT_THAT(file->index.trusted_hosts, ElementsAre("b.example"));
  EXPECT_THAT(file->index.no_binary, ElementsAre("bar", "foo-a"));
  EXPECT_THAT(file->index.only_binary, ElementsAre(":all:"));
  EXPECT_TRUE(file->index.pre);
}

TEST(RequirementsFile, FollowsIncludesAndConstraints) {
  const auto file = ReadFiles({{"/p/requirements.txt", "-r sub/base.txt\n-c limits.txt\nsix\n"},
                               {"/p/sub/base.txt", "-r../more.txt\nidna"},
                               {"/p/more.txt", "certifi"},
                               {"/p/limits.txt", "six<2\n-r more.txt"}});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(Lines(file->requirements), ElementsAre("certifi", "idna", "six"));
  EXPECT_THAT(Lines(file->constraints), ElementsAre("six<2", "certifi"));
}

TEST(RequirementsFile, NamesCycleOfIncludes) {
  const auto file = ReadFiles({{"/p/requirements.txt", "-r a.txt"},
                               {"/p/a.txt", "six\n  -r b.txt"},
                               {"/p/b.txt", "-r a.txt"}});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message, "b.txt:1:1: the file includes itself: a.txt → b.txt → a.txt");
}

TEST(RequirementsFile, NamesMissingInclude) {
  const auto file = ReadFiles({{"/p/requirements.txt", "six\n-r none.txt"}});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message, "requirements.txt:2:1: no /p/none.txt");
}

TEST(RequirementsFile, ReportsEveryErrorWithPosition) {
  EXPECT_EQ(RequirementsError("six\nfoo>=x\n  bar[\\\n  1 2]\n--nonsense\n"),
            "requirements.txt:2:4: 'x' is not a version\n"
            "requirements.txt:4:5: expected ',' or ']', found '2]'\n"
            "requirements.txt:5:1: the option --nonsense is not supported");
  EXPECT_THAT(RequirementsError("--extra-index https://a.example"),
              HasSubstr("did you mean --extra-index-url"));
  EXPECT_THAT(RequirementsError("--pre yes"), HasSubstr("takes no value"));
  EXPECT_THAT(RequirementsError("-i"), HasSubstr("needs a value"));
  EXPECT_THAT(RequirementsError("six --global-option=x"),
              HasSubstr("1:5: the option --global-option"));
}

TEST(RequirementsFile, RejectsLocalSources) {
  EXPECT_THAT(RequirementsError("-e ."), HasSubstr("editable requirements are not supported"));
  EXPECT_THAT(RequirementsError("--editable=."),
              HasSubstr("editable requirements are not supported"));
  for (const std::string line :
       {"./pkg", "../x", "/abs/pkg", "~/pkg", "dist/a.whl", "a-1.0.tar.gz"}) {
    EXPECT_THAT(RequirementsError(line), HasSubstr("local requirements are not supported")) << line;
  }
  EXPECT_THAT(RequirementsError("foo @ file:///x/foo.whl"), HasSubstr("from local files"));
  EXPECT_THAT(RequirementsError("file:///x/foo.whl"), HasSubstr("from local files"));
  EXPECT_THAT(RequirementsError("foo @ git+https://h.example/r.git"), HasSubstr("version control"));
  EXPECT_THAT(RequirementsError("git+ssh://git@h.example/r.git#egg=foo"),
              HasSubstr("version control"));
  EXPECT_THAT(RequirementsError("--find-links ./wheels"), HasSubstr("is only on this machine"));
  EXPECT_THAT(RequirementsError("-r https://h.example/r.txt"),
              HasSubstr("at URLs are not supported"));
  EXPECT_THAT(RequirementsError("https://h.example/foo-1.0.zip"),
              HasSubstr("requires a package name"));
  EXPECT_FALSE(ReadText("-e .").error().hint.empty());
}

TEST(RequirementsFile, ReadsHashes) {
  const auto file = ReadText("six==1.0 --hash=" + kOther + " \\\n    --hash " + kHash +
                             "\nidna===2 --hash=" + kHash);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->require_hashes);
  EXPECT_THAT(file->requirements.at(0).hashes, ElementsAre(kHash, kOther));
}

TEST(RequirementsFile, RequiresHashesForAllOrNone) {
  EXPECT_EQ(RequirementsError("six==1.0 --hash=" + kHash + "\nidna==1\nfoo>=1 --hash=" + kHash),
            "requirements.txt:2:1: idna has no hash, but other requirements do\n"
            "requirements.txt:3:1: foo has hashes and must be pinned to one version (==)");
  EXPECT_THAT(RequirementsError("--require-hashes\nsix==1"), HasSubstr("six has no hash"));
  EXPECT_TRUE(ReadText("foo @ https://h.example/f.zip#sha256=" + std::string(64, 'a') + "\nsix"));
}

TEST(RequirementsFile, RedactsExpandedVariables) {
  const auto file = ReadFiles({{"/p/requirements.txt",
                                "--index-url https://${USER}:${PASS}@h.example/simple\n"
                                "foo @ https://${PASS}@h.example/foo.zip\n"}},
                              {{"USER", "ana"}, {"PASS", "s3cret"}});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->index.url, "https://h.example/simple");
  EXPECT_THAT(Lines(file->requirements), ElementsAre("foo @ https://h.example/foo.zip"));
  EXPECT_EQ(file->private_urls.at("https://h.example/foo.zip"), "https://s3cret@h.example/foo.zip");
  EXPECT_EQ(RequirementsError("-i https://${NONE}@h.example"),
            "requirements.txt:1:1: the environment variable NONE is not set");
}

TEST(RequirementsFile, NeverQuotesCredentials) {
  for (const std::string line :
       {"foo==https://ana:s3cret@h.example", "foo[https://ana:s3cret@h.example]",
        "-i ftp://ana:s3cret@h.example", "foo https://ana:s3cret@h.example",
        "foo --https://ana:s3cret@h.example", "--https://ana:s3cret@h.example",
        "./https://ana:s3cret@h.example"}) {
    EXPECT_THAT(RequirementsError(line), Not(HasSubstr("s3cret"))) << line;
    EXPECT_NE(RequirementsError(line), "no error") << line;
  }
}

}  // namespace
}  // namespace kinetic::env
