#include "env/dependencies/manifest.h"

#include "support/temp_tree.h"
#include "unit/env/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

namespace kinetic::env {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class ManifestTest : public ::testing::Test {
 protected:
  ManifestOptions Options() const {
    ManifestOptions options;
    options.search_start = options.search_root = tree_.path();
    options.python = "3.12";
    options.platform = "linux-x86_64";
    return options;
  }

  static Manifest Read(const ManifestOptions& options) {
    auto manifest = ReadManifest(PosixFileSystem(), options);
    EXPECT_TRUE(manifest) << manifest.error().message;
    return manifest ? *std::move(manifest) : Manifest();
  }
  Manifest Read() const { return Read(Options()); }

  std::string ErrorOf(const ManifestOptions& options) const {
    const auto manifest = ReadManifest(PosixFileSystem(), options);
    return manifest ? "no error" : manifest.error().message;
  }

  std::string KeyOf(const std::string& requirements) const {
    tree_.Write("requirements.txt", requirements);
    return Read().Key().Hex();
  }

  test::TempTree tree_;
};

TEST_F(ManifestTest, IsEmptyWithoutDependencyFile) {
  const Manifest manifest = Read();
  EXPECT_EQ(manifest.kind, ManifestKind::kNone);
  EXPECT_TRUE(manifest.Empty());
  tree_.Write("requirements.txt", "six");
  auto options = Options();
  options.spec.none = true;
  EXPECT_TRUE(Read(options).Empty());
}

TEST_F(ManifestTest, PrefersFilesInOrder) {
  tree_.Write("pyproject.toml", "[project]\nname='p'\ndependencies=['a']\n");
  EXPECT_EQ(Read().kind, ManifestKind::kPyproject);
  tree_.Write("requirements.txt", "b");
  EXPECT_EQ(Read().kind, ManifestKind::kRequirements);
  tree_.Write("uv.lock", "version = 1\n[[package]]\nname='p'\nversion='0'\nsource={virtual='.'}\n");
  const Manifest manifest = Read();
  EXPECT_EQ(manifest.kind, ManifestKind::kUvLock);
  EXPECT_EQ(manifest.source, tree_ / "uv.lock");
  EXPECT_TRUE(manifest.is_lock);
}

TEST_F(ManifestTest, SearchesParentFoldersUpToBound) {
  tree_.Write("requirements.txt", "outside");
  tree_.MakeFolder("root/src/deep");
  auto options = Options();
  options.search_start = tree_ / "root/src/deep";
  options.search_root = tree_ / "root";
  EXPECT_TRUE(Read(options).Empty());
  tree_.Write("root/requirements.txt", "inside");
  EXPECT_THAT(Read(options).requirements, ElementsAre("inside"));
  tree_.Write("root/src/requirements.txt", "nearer");
  EXPECT_THAT(Read(options).requirements, ElementsAre("nearer"));
}

TEST_F(ManifestTest, SkipsPyprojectWithoutProjectTable) {
  tree_.Write("sub/pyproject.toml", "[tool.ruff]\nline-length = 100\n");
  tree_.Write("requirements.txt", "six");
  auto options = Options();
  options.search_start = tree_ / "sub";
  const Manifest manifest = Read(options);
  EXPECT_THAT(manifest.requirements, ElementsAre("six"));
  EXPECT_THAT(manifest.warnings, ElementsAre(HasSubstr("has no [project] table")));
}

TEST_F(ManifestTest, PrefersScriptMetadata) {
  tree_.Write("requirements.txt", "six");
  auto options = Options();
  options.script = tree_.Write("train.py", "# /// script\n# dependencies = ['idna']\n# ///\n");
  EXPECT_THAT(Read(options).requirements, ElementsAre("idna"));
  EXPECT_EQ(Read(options).kind, ManifestKind::kScript);
  options.script = tree_.Write("plain.py", "print()\n");
  EXPECT_THAT(Read(options).requirements, ElementsAre("six"));
}

TEST_F(ManifestTest, ReadsNamedFile) {
  auto options = Options();
  options.spec.file = tree_.Write("more/requirements-dev.txt", "six");
  EXPECT_THAT(Read(options).requirements, ElementsAre("six"));
  options.spec.file =
      tree_.Write("more/pyproject.toml", "[project]\nname='p'\ndependencies=['a']\n");
  EXPECT_THAT(Read(options).requirements, ElementsAre("a"));
  options.spec.file = tree_.Write("none.py", "");
  EXPECT_EQ(ErrorOf(options), "none.py has no inline script metadata ('# /// script')");
  options.spec.file = tree_ / "absent.txt";
  EXPECT_EQ(ReadManifest(PosixFileSystem(), options).error().code, ErrorCode::kNotFound);
}

TEST_F(ManifestTest, TomlErrorsHavePositions) {
  tree_.Write("pyproject.toml", "[project]\nname = \n");
  EXPECT_THAT(ErrorOf(Options()), HasSubstr("pyproject.toml:2:"));
}

TEST_F(ManifestTest, ExtrasAndGroupsRequireProject) {
  tree_.Write("requirements.txt", "six");
  auto options = Options();
  options.spec.extras = {"gpu"};
  EXPECT_THAT(ErrorOf(options),
              HasSubstr("dependencies: extras and groups require a pyproject.toml"));
}

TEST_F(ManifestTest, TreatsHashedRequirementsAsLock) {
  const std::string six = "Six==1.16.0 \\\n    --hash=" + kHash + "\n";
  tree_.Write("requirements.txt", six + "idna==3 --hash " + kHash + "\n");
  EXPECT_TRUE(Read().is_lock);
  tree_.Write("requirements.txt",
              six + "idna @ https://h.example/idna.whl#sha256=" + std::string(64, 'b') + "\n");
  const Manifest manifest = Read();
  EXPECT_FALSE(manifest.is_lock);
  EXPECT_THAT(manifest.hashes.at("six"), ElementsAre(kHash));
  EXPECT_THAT(manifest.hashes.at("idna"), ElementsAre("sha256:" + std::string(64, 'b')));
}

TEST_F(ManifestTest, RejectsHashesOtherThanSha256) {
  tree_.Write("requirements.txt", "\nsix==1.16.0 --hash=sha512:" + std::string(128, 'a') + "\n");
  EXPECT_EQ(ErrorOf(Options()),
            "requirements.txt:2: six has no SHA-256 hash, which kinetic requires");
}

TEST_F(ManifestTest, KeyIgnoresCommentsAndLineEndings) {
  const std::string key = KeyOf("six>=1,<2\nIdna\n");
  EXPECT_EQ(KeyOf("\xEF\xBB\xBF# two packages\r\n\r\nsix>=1,<2  # a name\r\nIdna\r\n"), key);
  EXPECT_NE(KeyOf("six>=1,<3\nIdna\n"), key);
  EXPECT_NE(KeyOf("six>=1,<2\nIdna\ncertifi"), key);
  tree_.Write("sub/base.txt", "six>=1,<2\n-r more.txt\n");
  tree_.Write("sub/more.txt", "Idna\n-r base.txt");
  EXPECT_EQ(KeyOf("-r sub/base.txt\n"), key);
  EXPECT_NE(KeyOf("-c sub/base.txt\nsix>=1,<2\nIdna"), key);
}

TEST_F(ManifestTest, ReadsUtf16) {
  std::string text = "\xFF\xFE";
  for (const char c : std::string("six\n")) text += std::string{c, '\0'};
  tree_.Write("requirements.txt", text);
  EXPECT_THAT(Read().requirements, ElementsAre("six"));
}

TEST_F(ManifestTest, KeyDependsOnUvSettings) {
  const std::string project =
      "[project]\nname='p'\nversion='1'\ndependencies=['six']\n[tool.ruff]\nline-length=";
  tree_.Write("pyproject.toml", project + "99\n");
  const auto key = Read().Key();
  tree_.Write("pyproject.toml", project + "100\n");
  EXPECT_EQ(Read().Key(), key);
  tree_.Write("pyproject.toml", project + "99\n[tool.uv]\nresolution = 'lowest'\n");
  EXPECT_NE(Read().Key(), key);
  tree_.Write("pyproject.toml", project + "99\n");
  tree_.Write("uv.toml", "exclude-newer = '2022-01-01T00:00:00Z'\n");
  EXPECT_NE(Read().Key(), key);
  EXPECT_THAT(Read().settings, Contains("tool.uv.exclude-newer 2022-01-01T00:00:00Z"));
}

TEST_F(ManifestTest, SelectsExtrasAndGroups) {
  tree_.Write("pyproject.toml",
              "[project]\nname='p'\ndependencies=['six']\n[project.optional-dependencies]\n"
              "GPU_x=['torch']\nother=['jax']\n[dependency-groups]\ndev=['pytest']\n");
  auto options = Options();
  EXPECT_THAT(Read(options).requirements, ElementsAre("six"));
  options.spec.extras = {"gpu.x"};
  options.spec.groups = {"Dev"};
  EXPECT_THAT(Read(options).requirements, ElementsAre("six", "torch", "pytest"));
}

TEST_F(ManifestTest, KeyDependsOnGroupsThatAreIncluded) {
  auto options = Options();
  options.spec.groups = {"dev"};
  const auto key = [&](const std::string& tables) {
    tree_.Write("pyproject.toml", "[project]\nname='Own'\ndependencies=[]\n" + tables);
    return Read(options).Key().Hex();
  };
  const std::string including = "[dependency-groups]\ndev=[{include-group='test'}]\n";
  const std::string lists = "other=['six']\ntest=['six']\n";
  const std::string before = key(including + lists);
  EXPECT_NE(key(including + "other=['six']\ntest=['six', 'idna']\n"), before);
  EXPECT_NE(key("[dependency-groups]\ndev=[{include-group='other'}]\n" + lists), before);
  EXPECT_NE(key("[dependency-groups]\ndev=['six']\n" + lists), before);
  const std::string extra =
      "[dependency-groups]\ndev=['own[x]']\n[project.optional-dependencies]\n";
  EXPECT_NE(key(extra + "x=['six']\n"), key(extra + "x=['idna']\n"));
}

TEST_F(ManifestTest, ReadsUvIndexes) {
  tree_.Write("pyproject.toml",
              "[project]\nname='p'\ndependencies=['six']\n[tool.uv]\nfind-links=['Own/wheels']\n"
              "[[tool.uv.index]]\nname='my-own'\nurl='https://h.example/simple/'\nexplicit=true\n"
              "[[tool.uv.index]]\nurl='https://main.example/simple'\ndefault=true\n");
  auto options = Options();
  options.variables.environment = {{"UV_INDEX_MY_OWN_USERNAME", "ana"},
                                   {"UV_INDEX_MY_OWN_PASSWORD", "s/3#c?r@e t"}};
  const Manifest manifest = Read(options);
  EXPECT_EQ(manifest.index.url, "https://main.example/simple");
  EXPECT_THAT(manifest.index.extra_urls, ElementsAre("https://h.example/simple"));
  EXPECT_EQ(manifest.private_urls.at("https://h.example/simple"),
            "https://ana:s%2F3%23c%3Fr%40e%20t@h.example/simple");
  EXPECT_EQ(manifest.private_urls.at(manifest.index.find_links.at(0)),
            (tree_ / "Own/wheels").native());
  tree_.MakeFolder("Own");
  tree_.MakeFolder("Own/wheels");
  tree_.Write("requirements.txt", "--no-index\n--find-links Own/wheels\nsix\n");
  const Manifest offline = Read(options);
  EXPECT_TRUE(offline.index.no_index);
  EXPECT_EQ(offline.private_urls.at(offline.index.find_links.at(0)),
            (tree_ / "Own/wheels").native());
}

TEST_F(ManifestTest, ReadsIndexesOnlyFromNearestSettings) {
  const auto index = [](const std::string& name) {
    return "[[index]]\nurl = 'https://" + name + ".example/s'\ndefault = true\n";
  };
  tree_.Write("uv.toml", index("outer") + "[pip]\n");
  tree_.Write("sub/requirements.txt", "six\n");
  auto options = Options();
  options.search_start = tree_ / "sub";
  options.variables.environment = {{"UV_DEFAULT_INDEX", "https://caller.example/s"}};
  EXPECT_EQ(Read(options).index.url, "https://outer.example/s");
  tree_.Write("sub/pyproject.toml",
              "[tool.uv]\nresolution = 'highest'\n"
              "[[tool.uv.index]]\nname = 'x'\nurl = 'https://extra.example/s'\n");
  const Manifest nearer = Read(options);
  EXPECT_EQ(nearer.index.url, "https://caller.example/s");
  EXPECT_EQ(nearer.caller_index.url, "https://caller.example/s");
  EXPECT_THAT(nearer.index.extra_urls, ElementsAre("https://extra.example/s"));
  tree_.Write("sub/uv.toml", index("own"));
  EXPECT_EQ(Read(options).index.url, "https://own.example/s");
  EXPECT_THAT(Read(options).index.extra_urls, IsEmpty());
}

TEST_F(ManifestTest, WarnsOfSettingsBelowTheProject) {
  tree_.Write("sub/requirements.txt", "six\n");
  tree_.Write("sub/uv.toml", "index-url = 'https://own.example/s'\nresolution = 'lowest'\n");
  auto options = Options();
  options.search_start = tree_ / "sub";
  const std::string setting = "tool.uv.resolution lowest";
  const auto is_used = [&] {
    const Manifest manifest = Read(options);
    EXPECT_EQ(manifest.warnings.empty(), manifest.index.url == "https://own.example/s");
    EXPECT_EQ(manifest.warnings.empty(), std::ranges::count(manifest.settings, setting) == 1);
    return manifest.warnings.empty();
  };
  EXPECT_TRUE(is_used());
  for (const char* const project :
       {"[tool.ruff]\n", "[project]\nname = 'p'\n[tool.uv]\nmanaged = false\n"}) {
    tree_.Write("pyproject.toml", project);
    EXPECT_TRUE(is_used()) << project;
  }
  tree_.Write("pyproject.toml", "[project]\nname = 'p'\n");
  EXPECT_FALSE(is_used());
  EXPECT_THAT(Read(options).warnings, ElementsAre(HasSubstr("sub/uv.toml is not used")));
  tree_.Write("sub/pyproject.toml", "[project]\nname = 'sub'\n");
  EXPECT_TRUE(is_used());
}

TEST_F(ManifestTest, ReadsIndexesOfWorkspaceRoot) {
  const auto project = [](const std::string& name, const std::string& more) {
    return "[project]\nname = 'p'\ndependencies = ['six']\n[[tool.uv.index]]\nurl = 'https://" +
           name + ".example/s'\ndefault = true\n" + more;
  };
  const std::string workspace = "[tool.uv.workspace]\nmembers = ['packages/*']\n";
  tree_.Write("pyproject.toml", project("root", workspace));
  tree_.Write("packages/a/pyproject.toml", project("member", ""));
  tree_.Write("other/pyproject.toml", project("other", ""));
  auto options = Options();
  options.search_start = tree_ / "packages/a";
  EXPECT_EQ(Read(options).index.url, "https://root.example/s");
  options.search_start = tree_ / "other";
  EXPECT_EQ(Read(options).index.url, "https://other.example/s");
  tree_.Write("pyproject.toml", project("root", workspace + "exclude = ['packages/a']\n"));
  options.search_start = tree_ / "packages/a";
  EXPECT_EQ(Read(options).index.url, "https://member.example/s");
}

TEST_F(ManifestTest, ChecksRequiresPython) {
  for (const char* const allowed : {">=3.10", ">=3.9,<3.13", "~=3.12", "==3.12.*", "!=3.11.*"}) {
    tree_.Write("pyproject.toml", "[project]\nname='p'\ndependencies=[]\nrequires-python='" +
                                      std::string(allowed) + "'\n");
    EXPECT_EQ(ErrorOf(Options()), "no error") << allowed;
  }
  for (const char* const excluded : {">=3.13", "<3.12", "==3.11.*", "!=3.12.*", "~=3.13"}) {
    tree_.Write("pyproject.toml", "[project]\nname='p'\ndependencies=[]\nrequires-python='" +
                                      std::string(excluded) + "'\n");
    EXPECT_EQ(ErrorOf(Options()), "pyproject.toml:4: requires-python is '" + std::string(excluded) +
                                      "', but the job uses Python 3.12");
  }
}

TEST_F(ManifestTest, RejectsUnsupportedFiles) {
  auto options = Options();
  options.spec.file = tree_.Write("pyproject.toml", "[tool.poetry]\nname = 'p'\n");
  EXPECT_THAT(ErrorOf(options), HasSubstr("dependencies in Poetry's table are not supported"));
  options.spec.file = tree_.Write("requirements.txt", "six\n-r https://h.example/more.txt\n");
  EXPECT_EQ(ErrorOf(options),
            "requirements.txt:2: requirements files at URLs are not supported: their content can "
            "change");
}

TEST_F(ManifestTest, KeyDependsOnFolderIfDependenciesAreBuilt) {
  tree_.Write("more.txt", "six\n");
  const auto key = [&] { return Read().Key().Hex(); };
  tree_.Write("setup.py", "setup(install_requires=open('more.txt'))\n");
  EXPECT_EQ(Read().kind, ManifestKind::kSetup);
  EXPECT_FALSE(Read().Empty());
  const std::string by_setup = key();
  tree_.Write("more.txt", "idna\n");
  EXPECT_NE(key(), by_setup);
  tree_.Write("pyproject.toml", "[build-system]\nrequires=['setuptools']\n");
  EXPECT_EQ(Read().kind, ManifestKind::kSetup);
  EXPECT_THAT(Read().warnings, IsEmpty());
  tree_.Write("pyproject.toml", "[project]\nname='p'\ndynamic=['dependencies']\n");
  EXPECT_EQ(Read().kind, ManifestKind::kPyproject);
  const std::string by_project = key();
  tree_.Write("more.txt", "six\n");
  EXPECT_NE(key(), by_project);
}

TEST_F(ManifestTest, NamesFilesThatUvDoesNotRead) {
  tree_.Write("sub/pyproject.toml", "[tool.poetry]\nname = 'p'\n");
  tree_.Write("sub/Pipfile", "[packages]\n");
  tree_.Write("environment.yml", "dependencies: [numpy]\n");
  auto options = Options();
  options.search_start = tree_ / "sub";
  EXPECT_THAT(Read(options).warnings,
              ElementsAre(HasSubstr("poetry export"), HasSubstr("pipenv requirements"),
                          HasSubstr("environment.yml is not used for dependencies")));
  tree_.Write("sub/requirements.txt", "six\n");
  EXPECT_THAT(Read(options).warnings, IsEmpty());
}

TEST_F(ManifestTest, WarnsOfVariablesOfUvThatAreNotUsed) {
  tree_.Write("requirements.txt", "six\n");
  auto options = Options();
  options.variables.environment = {{"UV_EXCLUDE_NEWER", "2024-01-01"},
                                   {"UV_CONSTRAINT", "c.txt"},
                                   {"UV_PRERELEASE", ""},
                                   {"UV_CACHE_DIR", "/c"}};
  EXPECT_THAT(Read(options).warnings,
              ElementsAre(StartsWith("UV_CONSTRAINT, UV_EXCLUDE_NEWER would not apply")));
  options.spec.none = true;
  EXPECT_THAT(Read(options).warnings, IsEmpty());
}

TEST_F(ManifestTest, WarnsOfPasswords) {
  for (const char* const line :
       {"-i https://ana:s3cret@h.example/simple", "six @ git+https://ana:s3cret@h.example/six",
        "-f http://${U}:s3cret@h.example/x"}) {
    tree_.Write("requirements.txt", "# first\n" + std::string(line) + "\nidna\n");
    auto options = Options();
    options.variables = {{{"U", "ana"}}, {"U"}};
    EXPECT_THAT(Read(options).warnings, ElementsAre(StartsWith("requirements.txt:2 contains a")))
        << line;
    EXPECT_THAT(Read(options).warnings, Not(ElementsAre(HasSubstr("s3cret"))));
  }
  tree_.Write("requirements.txt",
              "-i https://ana:${P}@h.example/s\nsix @ git+ssh://git@h.example:22/six\n");
  auto options = Options();
  options.variables = {{{"P", "s3cret"}}, {}};
  EXPECT_THAT(Read(options).warnings, IsEmpty());
}

TEST_F(ManifestTest, MemberHasLockOfWorkspace) {
  tree_.Write("pyproject.toml", "[tool.uv.workspace]\nmembers = ['packages/*']\n");
  tree_.Write("uv.lock",
              "version = 1\n[[package]]\nname = 'a'\nsource = { editable = \"packages/a\" }\n"
              "[[package]]\nname = 'lib'\nsource = { editable = \"packages/lib\" }\n");
  tree_.Write("packages/a/pyproject.toml", "[project]\nname='a'\ndependencies=['lib']\n");
  tree_.Write("packages/lib/pyproject.toml", "[project]\nname='lib'\n");
  auto options = Options();
  options.search_start = options.search_root = tree_ / "packages/a";
  const Manifest manifest = Read(options);
  EXPECT_EQ(manifest.kind, ManifestKind::kUvLock);
  EXPECT_EQ(manifest.source, tree_ / "uv.lock");
  EXPECT_EQ(manifest.Folder(), tree_ / "packages/a");
  EXPECT_THAT(manifest.folders, ElementsAre(tree_ / "packages/lib"));
  options.spec.file = tree_ / "packages/a/pyproject.toml";
  EXPECT_EQ(Read(options).Key(), manifest.Key());
  tree_.Write("pyproject.toml", "[tool.uv.workspace]\nmembers = ['other/*']\n");
  EXPECT_EQ(Read(options).kind, ManifestKind::kPyproject);
}

TEST_F(ManifestTest, VariablesNeedPermission) {
  auto options = Options();
  options.variables.environment = {{"KEY", "s3cret-value"}};
  for (const std::string line : {"--index-url https://h.example/${KEY}", "-i ${KEY}",
                                 "six @ https://h.example/${KEY}/six.whl",
                                 "six @ https://u:${KEY}@h.example/six.whl", "-f ./${KEY}"}) {
    tree_.Write("requirements.txt", "idna\n" + line + "\n");
    EXPECT_THAT(ErrorOf(options), StartsWith("requirements.txt:2: the URL would send the "
                                             "environment variable KEY"))
        << line;
  }
  tree_.Write("requirements.txt", "--extra-index-url https://u:${KEY}@h.example/simple\nidna\n");
  EXPECT_EQ(Read(options).private_urls.at("https://h.example/simple"),
            "https://u:s3cret-value@h.example/simple");
}

TEST_F(ManifestTest, KeyDependsOnUserSettings) {
  tree_.Write("requirements.txt", "six\n");
  auto options = Options();
  options.variables.environment = {{"HOME", (tree_ / "home").native()}};
  const std::string key = Read(options).Key().Hex();
  tree_.Write("home/.config/uv/uv.toml", "exclude-newer = \"2019-01-01T00:00:00Z\"\n");
  EXPECT_NE(Read(options).Key().Hex(), key);
  EXPECT_THAT(Read(options).settings, ElementsAre("user.uv.exclude-newer 2019-01-01T00:00:00Z"));
  tree_.Write("home/.config/uv/uv.toml",
              "cache-dir = '/c'\nlink-mode = 'copy'\nconcurrent-downloads = 3\n"
              "python-downloads = 'never'\n[pip]\ncompile-bytecode = true\n");
  EXPECT_EQ(Read(options).Key().Hex(), key);
  tree_.Write("home/.config/uv/uv.toml", "[pip]\nno-binary = ['six']\n");
  EXPECT_THAT(Read(options).settings, ElementsAre("user.uv.pip.no-binary six"));
  options.variables.environment["XDG_CONFIG_HOME"] = (tree_ / "config").native();
  EXPECT_EQ(Read(options).Key().Hex(), key);
  options.variables.environment["XDG_CONFIG_DIRS"] =
      (tree_ / "absent").native() + ":" + (tree_ / "machine").native();
  tree_.Write("machine/uv/uv.toml", "resolution = 'lowest'\n");
  EXPECT_THAT(Read(options).settings, ElementsAre("machine.uv.resolution lowest"));
}

TEST_F(ManifestTest, KeyDependsOnPackageFolders) {
  tree_.Write("lib/lib/__init__.py", "x = 1\n");
  tree_.Write("six/notes.txt", "no package: the requirement is not a path");
  const std::string key = KeyOf("six\n./lib\n");
  EXPECT_THAT(Read().folders, ElementsAre(tree_ / "lib"));
  tree_.Write("lib/build/lib/__init__.py", "generated");
  tree_.Write("six/notes.txt", "changed");
  EXPECT_EQ(KeyOf("six\n./lib\n"), key);
  tree_.Write("lib/lib/__init__.py", "x = 2\n");
  EXPECT_NE(KeyOf("six\n./lib\n"), key);
  KeyOf("own @ file:lib ; python_version > '3'\ngitpkg @ git+https://h.example/r@main\n");
  EXPECT_THAT(Read().built, ElementsAre("own", "gitpkg"));
  EXPECT_EQ(Read().folders.size(), 1U);
  tree_.Write("my lib/pyproject.toml", "[project]\nname='x'\nversion='1'\n");
  for (const char* line : {"./my lib\n", "./my lib[a] ; python_version > '3'\n",
                           "x @ file:my%20lib\n", "-e ./my lib\n"}) {
    KeyOf(line);
    EXPECT_THAT(Read().folders, ElementsAre(tree_ / "my lib")) << line;
  }
}

TEST_F(ManifestTest, KeyDependsOnAllFilesOfPackageFolders) {
  tree_.Write("lib/lib/__init__.py", "");
  std::string key = KeyOf("./lib\n");
  tree_.Write("lib/dist/lib.whl", "");
  tree_.Write("lib/lib/__pycache__/x.pyc", "");
  tree_.Write("lib/env/pyvenv.cfg", "");
  tree_.Write("lib/env/bin/python", "");
  EXPECT_EQ(KeyOf("./lib\n"), key);
  for (const char* const name : {"lib/lib/build/x.py", "lib/lib/dist/x.py", "lib/src/venv/x.py"}) {
    tree_.Write(name, "");
    EXPECT_NE(std::exchange(key, KeyOf("./lib\n")), KeyOf("./lib\n")) << name;
  }
  tree_.Write("lib/weights.bin", "");
  std::filesystem::resize_file(tree_ / "lib/weights.bin", (256ULL << 20) + 1);
  EXPECT_NE(KeyOf("./lib\n"), key);
}

TEST_F(ManifestTest, FindsDirectReferencesWithoutSpaces) {
  tree_.Write("lib/pyproject.toml", "[project]\nname='lib'\nversion='1'\n");
  const std::string url = "file://" + (tree_ / "lib").native();
  for (const std::string& place : {std::string("file:./lib"), std::string("./lib"), url}) {
    for (const std::string name : {"Lib@", "lib @", "lib[x]@ ", "lib [x] @ "}) {
      KeyOf(name + place + "\n");
      EXPECT_THAT(Read().folders, ElementsAre(tree_ / "lib")) << name << place;
      EXPECT_THAT(Read().built, ElementsAre("lib")) << name << place;
    }
  }
  KeyOf("gitpkg@git+https://h.example/r@main\nother[x]@git+ssh://git@h.example/r\nsix>=1\n");
  EXPECT_THAT(Read().built, ElementsAre("gitpkg", "other"));
  std::filesystem::remove(tree_ / "requirements.txt");
  tree_.Write("pyproject.toml",
              "[project]\nname='p'\ndependencies=['gitpkg@git+https://h.example/r', 'lib@file://" +
                  (tree_ / "lib").native() + "']\n");
  EXPECT_THAT(Read().built, ElementsAre("gitpkg", "lib"));
  EXPECT_THAT(Read().folders, ElementsAre(tree_ / "lib"));
}

TEST_F(ManifestTest, KeyDependsOnFoldersBehindLinks) {
  tree_.Write("real/pyproject.toml", "[project]\nname='lib'\nversion='1'\n");
  tree_.MakeLink("lib", "real");
  const std::string key = KeyOf("lib @ file:./lib\n");
  EXPECT_THAT(Read().folders, ElementsAre(tree_ / "lib"));
  tree_.Write("real/lib.py", "changed = 1\n");
  EXPECT_NE(KeyOf("lib @ file:./lib\n"), key);
}

TEST_F(ManifestTest, UrlsWithFragmentsHaveCredentials) {
  const PrivateUrls urls{{"https://h.example/p.zip", "https://ana:pw@h.example/p.zip?t=1"}};
  const std::string redacted = "https://h.example/p.zip#subdirectory=p";
  EXPECT_EQ(RedactedForm("https://h.example/p.zip#subdirectory=p", urls), redacted);
  EXPECT_EQ(FullUrl(redacted, urls), "https://ana:pw@h.example/p.zip?t=1#subdirectory=p");
  EXPECT_TRUE(IsPrivate(redacted, urls));
  EXPECT_FALSE(IsPrivate("https://h.example/q.zip#subdirectory=p", urls));
}

TEST_F(ManifestTest, PositionNamesLineOfPackage) {
  tree_.Write("requirements.txt", "# my_package\nsix\nMy.Package[x] @ file:///x\n");
  EXPECT_EQ(Read().PositionOf("my-package"), "requirements.txt:3");
  EXPECT_EQ(Read().PositionOf("other"), "requirements.txt");
}

TEST_F(ManifestTest, KeyDependsOnEveryInput) {
  tree_.Write("requirements.txt", "six");
  const auto key = Read().Key();
  const auto with = [&](auto change) {
    auto options = Options();
    change(options);
    return Read(options).Key();
  };
  EXPECT_NE(with([](auto& o) { o.python = "3.11"; }), key);
  EXPECT_NE(with([](auto& o) { o.platform = "linux-aarch64"; }), key);
  EXPECT_NE(with([](auto& o) { o.accelerator = "tpu"; }), key);
  EXPECT_NE(with([](auto& o) { o.base_image = "python:3.12-slim"; }), key);
  EXPECT_NE(with([](auto& o) { o.variables.environment["PIP_INDEX_URL"] = "https://h.example/s"; }),
            key);
  EXPECT_EQ(with([](auto& o) { o.variables.environment["HOME"] = "/elsewhere"; }), key);
}

TEST_F(ManifestTest, KeyAndInputsContainNoCredentials) {
  tree_.Write("requirements.txt",
              "-i https://${U}:${P}@h.example/simple\nfoo @ https://x:${P}@h.example/foo.zip\n");
  auto options = Options();
  options.variables.secrets = {"P"};
  options.variables.environment = {{"U", "ana"}, {"P", "s3cret"}};
  const Manifest one = Read(options);
  options.variables.environment = {{"U", "ben"}, {"P", "0ther"}};
  EXPECT_EQ(Read(options).Key(), one.Key());
  for (const auto& [name, value] : one.Inputs()) EXPECT_THAT(value, Not(HasSubstr("s3cret")));
  EXPECT_EQ(one.private_urls.size(), 2U);
}

TEST_F(ManifestTest, FilesOverrideEnvironment) {
  tree_.Write("requirements.txt",
              "-i https://file.example/s\n--extra-index-url https://b.example\nsix");
  auto options = Options();
  options.variables.environment = {{"PIP_INDEX_URL", "https://env.example/s"},
                                   {"PIP_EXTRA_INDEX_URL", "https://a.example"}};
  const Manifest manifest = Read(options);
  EXPECT_EQ(manifest.index.url, "https://file.example/s");
  EXPECT_THAT(manifest.index.extra_urls, ElementsAre("https://b.example", "https://a.example"));
}

}  // namespace
}  // namespace kinetic::env
