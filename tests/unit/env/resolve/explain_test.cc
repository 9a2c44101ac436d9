#include "env/resolve/explain.h"

#include "env/install/installer.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

std::vector<std::string> Shown(const std::vector<EnvironmentExplanation::Change>& changes) {
  std::vector<std::string> lines;
  for (const auto& one : changes) lines.push_back(one.input + ": " + one.before + " -> " + one.now);
  return lines;
}

Manifest SampleManifest() {
  Manifest manifest;
  manifest.python = "3.12";
  manifest.requirements = {"idna", "six>=1"};
  return manifest;
}

std::map<std::string, std::string> InputsOf(const Manifest& manifest) {
  const auto inputs = manifest.Inputs();
  return {inputs.begin(), inputs.end()};
}

TEST(Explain, NamesChangedInputs) {
  const auto before = InputsOf(SampleManifest());
  EXPECT_THAT(CompareInputs(before, SampleManifest()), ElementsAre());
  Manifest now = SampleManifest();
  now.python = "3.13";
  now.requirements = {"certifi", "six>=2"};
  EXPECT_THAT(Shown(CompareInputs(before, now)),
              ElementsAre("python: 3.12 -> 3.13", "dependencies: idna -> ",
                          "dependencies: six>=1 -> six>=2", "dependencies:  -> certifi"));
}

TEST(Explain, ContainsAllKnownFields) {
  const auto nothing = Explain(SampleManifest(), std::nullopt, std::nullopt, std::nullopt);
  EXPECT_EQ(nothing.manifest_key, SampleManifest().Key().Hex());
  EXPECT_FALSE(nothing.lock);
  EXPECT_FALSE(nothing.built);
  EXPECT_EQ(nothing.since, "");
  const auto all = Explain(SampleManifest(), ObtainedLock{Lock(), true},
                           ReadyEnvironment{"id", "/root", "/root/bin/python", false},
                           PreviousInputs{"k-1", {}});
  EXPECT_TRUE(all.lock->from_cache);
  EXPECT_TRUE(all.built);
  EXPECT_EQ(all.location, "/root");
  EXPECT_EQ(all.since, "k-1");
  EXPECT_FALSE(all.changes.empty());
}

TEST(UvEnvironment, SetsIndexesAndDropsOtherSettings) {
  ToolOptions tools;
  tools.search_path = "/bin";
  tools.environment = {{"PIP_CONSTRAINT", "c.txt"},
                       {"PYTHONPATH", "/x"},
                       {"HOME", "/h"},
                       {"UV_DEFAULT_INDEX", "https://old.example"}};
  IndexSettings index;
  index.url = "https://h.example/simple";
  index.extra_urls = {"https://a.example", "https://b.example"};
  index.find_links = {"/my wheels", "https://l.example"};
  const auto environment = UvEnvironment(
      {}, tools, index, {{"https://h.example/simple", "https://u:p@h.example/simple"}});
  EXPECT_THAT(environment, Contains(Pair("HOME", "/h")));
  EXPECT_THAT(environment, Contains(Pair("PATH", "/bin")));
  EXPECT_THAT(environment, Contains(Pair("UV_INDEX_URL", "https://u:p@h.example/simple")));
  EXPECT_THAT(environment,
              Contains(Pair("UV_EXTRA_INDEX_URL", "https://a.example https://b.example")));
  EXPECT_THAT(environment, Contains(Pair("UV_FIND_LINKS", "/my wheels,https://l.example")));
  for (const char* const name : {"PIP_CONSTRAINT", "PYTHONPATH", "UV_DEFAULT_INDEX"}) {
    EXPECT_FALSE(environment.contains(name)) << name;
  }
}

TEST(LockedRequirements, RedactPrivateUrls) {
  std::map<std::string, std::string> environment;
  const std::vector<LockedPackage> packages{
      {"foo", "1", "https://h.example/f.zip#egg", {"sha256:a"}}, {"six", "1.0", "", {"sha256:b"}}};
  EXPECT_EQ(LockedRequirements(
                packages, {{"https://h.example/f.zip", "https://u:p@h.example/f.zip"}}, environment)
                .text,
            "foo @ ${KINETIC_URL_0} --hash=sha256:a\nsix==1.0 --hash=sha256:b\n");
  EXPECT_THAT(environment, ElementsAre(Pair("KINETIC_URL_0", "https://u:p@h.example/f.zip#egg")));
}

TEST(LockedRequirements, ContainFilesOfLock) {
  std::map<std::string, std::string> environment;
  const std::vector<LockedPackage> packages{
      {"foo", "1", "git+https://h/foo@c#subdirectory=a b", {"sha256:a"}, "foo.whl"},
      {"six",
       "1.0",
       "",
       {"sha256:b", "sha256:c"},
       "",
       {{"https://h/six.tar.gz", "sha256:b"}, {"https://h/six.whl", "sha256:c"}}}};
  const auto file =
      LockedRequirements(packages, {{"https://h/six.whl", "https://u:p@h/six.whl?q"}}, environment);
  EXPECT_EQ(file.name, "pylock.toml");
  EXPECT_EQ(
      file.text,
      "lock-version = '1.0'\ncreated-by = 'kinetic'\n"
      "[[packages]]\nname = \"foo\"\nversion = \"1\"\n"
      "archive = { url = \"git+https://h/foo@c\", hashes = { sha256 = \"a\" }, subdirectory = "
      "\"a b\" }\n"
      "[[packages]]\nname = \"six\"\nversion = \"1.0\"\n"
      "sdist = { url = \"https://h/six.tar.gz\", hashes = { sha256 = \"b\" } }\n"
      "wheels = [\n  { url = \"https://u:p@h/six.whl?q\", hashes = { sha256 = \"c\" } },\n]\n");
  EXPECT_TRUE(environment.empty());
}

TEST(InstallerFailure, RecognizesCommonCauses) {
  const test::TempTree tree;
  const auto failure = [&](const std::string& said) {
    auto log = InstallerLog::Create(PosixFileSystem(), tree / "x.log", {}, nullptr);
    log->Write(said + "\n");
    return InstallerFailure("it failed", *log).error();
  };
  const Error plain = failure("ERROR: No matching distribution found for nosuch");
  EXPECT_EQ(plain.code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(plain.message, "it failed\n  ERROR: No matching distribution found for nosuch");
  EXPECT_THAT(plain.hint, HasSubstr("name and version"));
  EXPECT_THAT(plain.hint, HasSubstr((tree / "x.log").native()));
  EXPECT_EQ(failure("OSError: [Errno 28] No space left on device").code,
            ErrorCode::kResourceExhausted);
  EXPECT_EQ(failure("WARNING: Retrying: NewConnectionError(...)").code, ErrorCode::kUnavailable);
  EXPECT_THAT(failure("error: command 'gcc' failed: No such file or directory").hint,
              HasSubstr("the build of a package needs gcc: install gcc"));
  EXPECT_THAT(
      failure("error: Failed to build `x`\nerror: command 'gcc' failed with exit code 1").hint,
      HasSubstr("could not be built"));
  EXPECT_THAT(failure("cause: Because x was not found in the package registry\nhint: An index URL "
                      "(http://h/simple) could not be queried due to a lack of valid "
                      "authentication credentials (401 Unauthorized)")
                  .hint,
              HasSubstr("rejects the login"));
}

}  // namespace
}  // namespace kinetic::env
