#include "env/dependencies/dependency_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Sha(char digit) { return "sha256:" + std::string(64, digit); }

std::string Package(const std::string& name, const std::string& version, const std::string& more,
                    char digit = 'a') {
  return "[[package]]\nname = \"" + name + "\"\nversion = \"" + version +
         "\"\nsource = { registry = \"https://index.example/simple\" }\n" +
         "sdist = { url = \"https://files.example/" + name + ".tar.gz\", hash = \"" + Sha(digit) +
         "\" }\nwheels = [{ url = \"https://files.example/" + name + ".whl\", hash = \"" +
         Sha(static_cast<char>(digit + 1)) + "\" }]\n" + more + "\n";
}

std::string Root(const std::string& more) {
  return "version = 1\nrevision = 2\nrequires-python = \">=3.9\"\n[[package]]\nname = \"proj\"\n"
         "version = \"0.1\"\nsource = { virtual = \".\" }\n" +
         more + "\n";
}

Result<UvPackages> ReadLockText(const std::string& text, UvSelection selection = {}) {
  if (selection.python.empty()) selection.python = "3.12";
  selection.platform = "linux-x86_64";
  return ReadUvLock(text, selection);
}

UvSelection Chosen(std::vector<std::string> extras, std::vector<std::string> groups,
                   std::string python) {
  UvSelection selection;
  selection.extras = std::move(extras);
  selection.groups = std::move(groups);
  selection.python = std::move(python);
  return selection;
}

std::vector<std::string> Names(const Result<UvPackages>& packages) {
  std::vector<std::string> names;
  if (!packages) return {"error: " + packages.error().message};
  for (const auto& one : packages->packages) names.push_back(one.name + "==" + one.version);
  return names;
}

TEST(UvLock, FollowsDependenciesThroughMarkers) {
  const std::string text =
      Root("dependencies = [{ name = \"a\" }, { name = \"w\", marker = \"os_name == 'nt'\" }]") +
      Package("a", "1.0",
              "dependencies = [{ name = \"b\", marker = \"python_full_version < '3.13'\" }]") +
      Package("b", "2.0", "dependencies = [{ name = \"a\" }]", 'c') + Package("w", "1", "") +
      Package("unused", "1", "");
  const auto packages = ReadLockText(text);
  EXPECT_THAT(Names(packages), ElementsAre("a==1.0", "b==2.0"));
  EXPECT_THAT(packages->packages[1].hashes, ElementsAre(Sha('c'), Sha('d')));
  EXPECT_THAT(packages->registries, ElementsAre("https://index.example/simple"));
  EXPECT_THAT(Names(ReadLockText(text, Chosen({}, {}, "3.13"))), ElementsAre("a==1.0"));
}

TEST(UvLock, FollowsExtrasAndGroups) {
  const std::string text =
      Root(
          "dependencies = [{ name = \"a\", extra = [\"fast\"] }]\n"
          "[package.optional-dependencies]\nplots = [{ name = \"p\" }]\n"
          "[package.dev-dependencies]\ndev = [{ name = \"d\" }]\n") +
      Package(
          "a", "1",
          "[package.optional-dependencies]\nfast = [{ name = \"f\" }]\nslow = [{ name = \"d\" }]\n"
          "") +
      Package("f", "1", "") + Package("p", "1", "") + Package("d", "1", "");
  EXPECT_THAT(Names(ReadLockText(text)), ElementsAre("a==1", "f==1"));
  EXPECT_THAT(Names(ReadLockText(text, Chosen({"Plots"}, {"dev"}, ""))),
              ElementsAre("a==1", "d==1", "f==1", "p==1"));
  EXPECT_THAT(Names(ReadLockText(text, Chosen({"plot"}, {}, "")))[0],
              HasSubstr("unknown extra 'plot'; did you mean 'plots'"));
}

TEST(UvLock, ChoosesAmongForksByVersion) {
  const std::string text =
      Root(
          "dependencies = [{ name = \"a\", version = \"1.0\", source = { registry = "
          "\"https://index.example/simple\" }, marker = \"python_version < '3.10'\" }, { name = "
          "\"a\", version = \"2.0\", source = { registry = \"https://index.example/simple\" }, "
          "marker = \"python_version >= '3.10'\" }]") +
      Package("a", "1.0", "") + Package("a", "2.0", "", 'c');
  EXPECT_THAT(Names(ReadLockText(text)), ElementsAre("a==2.0"));
}

TEST(UvLock, ChoosesAmongConflictingExtras) {
  const std::string text =
      Root(
          "[package.optional-dependencies]\n"
          "cpu = [{ name = \"t\", version = \"1\", marker = \"extra == 'extra-4-proj-cpu'\" }]\n"
          "gpu = [{ name = \"t\", version = \"2\", marker = \"extra == 'extra-4-proj-gpu'\" }]\n") +
      Package("t", "1", "") + Package("t", "2", "", 'c');
  EXPECT_THAT(Names(ReadLockText(text, Chosen({"gpu"}, {}, ""))), ElementsAre("t==2"));
  EXPECT_THAT(Names(ReadLockText(text, Chosen({"cpu", "gpu"}, {}, "")))[0],
              HasSubstr("two versions of t are required: 1 and 2"));
}

TEST(UvLock, RejectsLocalSources) {
  const auto with_source = [](const std::string& source) {
    return Names(ReadLockText(Root("dependencies = [{ name = \"a\" }]") +
                              "[[package]]\nname = \"a\"\nversion = \"1\"\nsource = { " + source +
                              " }\n"))[0];
  };
  EXPECT_THAT(with_source("git = \"https://h.example/r?rev=1#abc\""),
              HasSubstr("a git repository"));
  EXPECT_THAT(with_source("editable = \"packages/a\""), HasSubstr("a folder on this machine"));
  EXPECT_THAT(with_source("registry = \"../wheels\""), HasSubstr("a folder on this machine"));
  EXPECT_THAT(with_source("registry = \"https://i.example\""), HasSubstr("a has no hash"));
}

TEST(UvLock, ReadsArchivesByUrl) {
  const auto packages = ReadLockText(Root("dependencies = [{ name = \"a\" }]") +
                                     "[[package]]\nname = \"a\"\nversion = \"1\"\nsource = { url = "
                                     "\"https://files.example/a-1.whl?k=v\" }\nwheels = [{ url = "
                                     "\"https://files.example/a-1.whl\", hash = \"" +
                                     Sha('a') + "\" }]\n");
  ASSERT_TRUE(packages) << packages.error().message;
  EXPECT_EQ(packages->packages.at(0).url, "https://files.example/a-1.whl");
  EXPECT_EQ(packages->private_urls.at("https://files.example/a-1.whl"),
            "https://files.example/a-1.whl?k=v");
}

TEST(UvLock, RejectsLockOlderThanProject) {
  const std::string text = Root(
      "[package.metadata]\nrequires-dist = [{ name = \"a\", specifier = "
      "\">=1,<2\" }, { name = \"x\", marker = \"extra == 'e'\" }]\n");
  const auto asks = [&](std::vector<std::string> lines) {
    UvSelection selection;
    for (const auto& line : lines) selection.dependencies.push_back(*Requirement::Parse(line));
    return Names(ReadLockText(text, selection));
  };
  EXPECT_THAT(asks({"a<2,>=1"}), ElementsAre());
  EXPECT_THAT(asks({"a<3,>=1"})[0],
              HasSubstr("out of date, because pyproject.toml requires a<3,>=1"));
  EXPECT_THAT(asks({})[0], HasSubstr("no longer requires a<2,>=1"));
}

TEST(UvLock, ErrorHasReason) {
  EXPECT_THAT(Names(ReadLockText("version = 2\n"))[0], HasSubstr("unsupported version 2"));
  EXPECT_THAT(Names(ReadLockText("x = 2\n"))[0], HasSubstr("missing version"));
  EXPECT_THAT(Names(ReadLockText("version = \n"))[0], HasSubstr("uv.lock: "));
  EXPECT_THAT(Names(ReadLockText("version = 1\n"))[0],
              HasSubstr("no package for the project itself"));
  EXPECT_THAT(Names(ReadLockText(Root("dependencies = [{ name = \"gone\" }]")))[0],
              HasSubstr("the package 'gone' is missing"));
  EXPECT_THAT(Names(ReadLockText(Root(""), Chosen({}, {}, "3.8")))[0],
              HasSubstr("requires-python is '>=3.9'"));
}

}  // namespace
}  // namespace kinetic::env
