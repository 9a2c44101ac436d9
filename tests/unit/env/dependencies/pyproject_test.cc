#include "env/dependencies/pyproject.h"

#include "json/parse.h"
#include "unit/env/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Choice {
  std::vector<std::string> extras, groups;
  std::string python = "3.12";
};

Result<ProjectRequirements> ReadProjectText(const std::string& text, const Choice& choice = {}) {
  const auto document = json::ParseToml(text);
  EXPECT_TRUE(document) << text;
  return ReadProject(text, *document,
                     {"pyproject.toml", choice.extras, choice.groups, choice.python}, {});
}

std::string ProjectError(const std::string& text, const Choice& choice = {}) {
  const auto project = ReadProjectText(text, choice);
  return project ? "no error" : project.error().message;
}

constexpr const char* kProject = R"([project]
name = "My.Project"
requires-python = ">=3.9,<3.13"
dependencies = ["six>=1", "idna ; os_name == 'nt'"]
[project.optional-dependencies]
Fast_Path = ["numba"]
all = ["my-project[fast.path,plots]", "rich"]
plots = ["matplotlib<4"]
[dependency-groups]
base = ["pytest"]
dev = [{include-group = "BASE"}, "ruff==0.5"]
)";

TEST(Pyproject, ReadsDependencies) {
  const auto project = ReadProjectText(kProject);
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_EQ(project->name, "my-project");
  EXPECT_THAT(Lines(project->requirements), ElementsAre("six>=1", "idna; os_name == \"nt\""));
}

TEST(Pyproject, ReadsExtrasThatReferToExtras) {
  const auto project = ReadProjectText(kProject, {.extras = {"ALL"}});
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_THAT(Lines(project->requirements),
              ElementsAre("six>=1", "idna; os_name == \"nt\"", "numba", "matplotlib<4", "rich"));
  EXPECT_THAT(Lines(project->dependencies), ElementsAre("six>=1", "idna; os_name == \"nt\""));
}

TEST(Pyproject, ReadsNestedGroups) {
  const auto project = ReadProjectText(kProject, {.groups = {"dev"}});
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_THAT(Lines(project->requirements),
              ElementsAre("six>=1", "idna; os_name == \"nt\"", "pytest", "ruff==0.5"));
}

TEST(Pyproject, NamesMissingExtrasAndGroups) {
  EXPECT_EQ(ProjectError(kProject, {.extras = {"plot"}}),
            "pyproject.toml: unknown extra 'plot'; did you mean 'plots'");
  EXPECT_EQ(ProjectError(kProject, {.groups = {"deb"}}),
            "pyproject.toml: unknown dependency group 'deb'; did you mean 'dev'");
}

TEST(Pyproject, NamesCycleOfGroups) {
  EXPECT_EQ(ProjectError("[project]\nname='a'\n[dependency-groups]\na=[{include-group='b'}]\n"
                         "b=[{include-group='a'}]\n",
                         {.groups = {"a"}}),
            "pyproject.toml: dependency groups include each other: a → b → a");
}

TEST(Pyproject, ChecksPython) {
  EXPECT_EQ(ProjectError(kProject, {.python = "3.13"}),
            "pyproject.toml:3:1: requires-python is '>=3.9,<3.13', but the job uses Python 3.13");
  EXPECT_TRUE(CheckRequiresPython(">=3.12.3", "3.12", "f"));
  EXPECT_FALSE(CheckRequiresPython(">=3.12.3", "3.11", "f"));
  EXPECT_TRUE(CheckRequiresPython("~=3.12.0", "3.12", "f"));
  EXPECT_FALSE(CheckRequiresPython("nonsense", "3.12", "f"));
}

TEST(Pyproject, RejectsDynamicAndPoetryDependencies) {
  EXPECT_THAT(ProjectError("[project]\nname='a'\ndynamic=['dependencies']\n"),
              HasSubstr("pyproject.toml:3:11: the dependencies are dynamic"));
  EXPECT_THAT(ProjectError("[tool.poetry.dependencies]\nsix='*'\n"), HasSubstr("Poetry's table"));
  EXPECT_THAT(ProjectError("[build-system]\nrequires=[]\n"),
              HasSubstr("pyproject.toml has no [project] table"));
}

TEST(Pyproject, InvalidRequirementHasPosition) {
  EXPECT_EQ(ProjectError("[project]\nname='a'\ndependencies=[\n  'six',\n  'foo>=x',\n]\n"),
            "pyproject.toml:5:4: project.dependencies: 'x' is not a version");
  EXPECT_THAT(ProjectError("[project]\ndependencies='six'\n"), HasSubstr("expected a list"));
  EXPECT_THAT(ProjectError("[project]\ndependencies=[1]\n"), HasSubstr("expected a string"));
  EXPECT_THAT(ProjectError("[project]\ndependencies=['a @ git+https://h.example/r']\n"),
              HasSubstr("version control"));
}

TEST(Pyproject, ReadsUvSettings) {
  const auto project = ReadProjectText(R"([project]
name = "a"
dependencies = ["six"]
[tool.uv]
constraint-dependencies = ["six<2"]
[[tool.uv.index]]
url = "https://ana:pw@a.example/simple"
default = true
[[tool.uv.index]]
name = "b"
url = "https://b.example/simple"
[tool.uv.sources]
unused = { path = "../unused" }
six = { index = "b" }
)");
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_THAT(Lines(project->constraints), ElementsAre("six<2"));
  EXPECT_EQ(project->index.url, "https://a.example/simple");
  EXPECT_THAT(project->index.extra_urls, ElementsAre("https://b.example/simple"));
  EXPECT_EQ(project->private_urls.size(), 1U);
  const std::string start = "[project]\nname='a'\ndependencies=['six']\n";
  EXPECT_THAT(ProjectError(start + "[tool.uv.sources]\nsix={path='../six'}\n"),
              HasSubstr("tool.uv.sources.six: the source is a path on this machine"));
  EXPECT_THAT(ProjectError(start + "[tool.uv.sources]\nsix=[{git='https://h.example'}]\n"),
              HasSubstr("a git repository"));
  EXPECT_THAT(ProjectError(start + "[tool.uv]\noverride-dependencies=['six<1']\n"),
              HasSubstr("override-dependencies is only supported by uv"));
}

TEST(ExtractScriptMetadata, ReturnsBlockBetweenMarkers) {
  const auto metadata = ExtractScriptMetadata(
      "#!/usr/bin/env python\r\n# /// script\r\n# dependencies = [\r\n#   \"six\",\r\n# ]\r\n#\r\n"
      "# ///\r\nimport six\r\n");
  ASSERT_TRUE(metadata && *metadata);
  EXPECT_EQ(**metadata, "dependencies = [\n  \"six\",\n]\n\n");
}

TEST(ExtractScriptMetadata, ReturnsNulloptWithoutBlock) {
  for (const std::string_view text :
       {"", "import six\n", "# /// script\n# a = 1\n", "# /// other\n# ///\n",
        "# /// script\n# a = 1\nx = 1\n# ///\n", " # /// script\n# ///\n"}) {
    const auto metadata = ExtractScriptMetadata(text);
    EXPECT_TRUE(metadata && !*metadata) << text;
  }
  EXPECT_FALSE(ExtractScriptMetadata("# /// script\n# ///\n\n# /// script\n# ///\n"));
}

}  // namespace
}  // namespace kinetic::env
