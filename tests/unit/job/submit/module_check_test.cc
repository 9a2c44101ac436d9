#include "base/process/subprocess.h"
#include "job/submit/checks.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kinetic::job {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kPythonPath = "/usr/local/bin:/usr/bin:/bin";

std::vector<bundle::SourceEntry> Entries(std::vector<std::string> paths) {
  std::ranges::sort(paths);
  std::vector<bundle::SourceEntry> entries;
  for (auto& path : paths) {
    bundle::SourceEntry entry;
    entry.path = std::move(path);
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::optional<std::string> FileOf(std::span<const bundle::SourceEntry> entries,
                                  std::string_view module, std::string_view workdir) {
  const auto place = LocateModule(entries, module, workdir);
  return place ? place->file : std::nullopt;
}

TEST(LocateModule, SearchesImportPaths) {
  const auto entries = Entries({"a.py", "p/__init__.py", "p/m.py", "src/s.py", "src/t/__init__.py",
                                "a/data.txt", "both.py", "both/__init__.py"});
  EXPECT_EQ(FileOf(entries, "a", "."), "a.py");
  EXPECT_EQ(FileOf(entries, "p", "."), "p/__init__.py");
  EXPECT_EQ(FileOf(entries, "p.m", "."), "p/m.py");
  EXPECT_EQ(FileOf(entries, "s", "."), "src/s.py");
  EXPECT_EQ(FileOf(entries, "t", "."), "src/t/__init__.py");
  EXPECT_EQ(FileOf(entries, "both", "."), "both/__init__.py") << "as Python does";
  EXPECT_FALSE(LocateModule(entries, "p.n", "."));
  EXPECT_TRUE(LocateModule(entries, "os.path", ".")->is_external);
}

TEST(LocateModule, SearchesTheJobsFolderFirst) {
  const auto entries = Entries({"a.py", "sub/deep/a.py", "sub/deep/p/__init__.py"});
  EXPECT_EQ(FileOf(entries, "a", "sub/deep"), "sub/deep/a.py");
  EXPECT_EQ(FileOf(entries, "a", "sub"), "a.py");
  EXPECT_FALSE(LocateModule(entries, "p.x", "sub/deep"));
  EXPECT_TRUE(LocateModule(entries, "p.x", "sub")->is_external);
}

TEST(LocateModule, FolderWithoutInitMayHaveTheNameOfAPackage) {
  EXPECT_TRUE(LocateModule(Entries({"datasets/a.csv"}), "datasets.load", ".")->is_external);
}

TEST(LocateModule, LinksAndExtensionModulesAreUncertain) {
  auto entries = Entries({"pkg", "fast.cpython-311-x86_64-linux-gnu.so", "ext/__init__.py",
                          "ext/fast.cpython-311-x86_64-linux-gnu.so"});
  std::ranges::find(entries, "pkg", &bundle::SourceEntry::path)->type = BundleEntry::Type::kSymlink;
  for (const char* module : {"pkg", "pkg.mod", "fast", "ext.fast"}) {
    const auto place = LocateModule(entries, module, ".");
    ASSERT_TRUE(place) << module;
    EXPECT_FALSE(place->file || place->is_external) << module;
  }
}

TEST(HasFolder, AcceptsFoldersAndLinksOfTheBundle) {
  auto entries = Entries({"a/b/c.txt", "a-b", "link"});
  entries.back().type = BundleEntry::Type::kSymlink;
  for (const char* folder : {".", "a", "a/b", "link"}) EXPECT_TRUE(HasFolder(entries, folder));
  for (const char* folder : {"a-b", "b", "a/c"}) EXPECT_FALSE(HasFolder(entries, folder));
  EXPECT_THAT(MissingFolder(entries, "a/d").message, HasSubstr("did you mean a/b?"));
}

TEST(MissingModule, HintsAtMatchingFile) {
  const auto entries = Entries({"examples/hello/hello.py", "train.py"});
  EXPECT_THAT(MissingModule(entries, "hello").hint, HasSubstr("set workdir: examples/hello"));
  EXPECT_THAT(MissingModule(entries, "trains").message, HasSubstr("did you mean train?"));
}

class CheckModuleTest : public ::testing::Test {
 protected:
  CheckModuleTest() {
    const auto python = FindExecutable("python3", kPythonPath);
    checker_.python = python.value_or("");
  }

  Status Check(std::string_view source, const std::string& callable = "f") {
    JobSpec spec;
    spec.function = {"m", callable};
    spec.args = args_;
    spec.positions = {{"args.epohcs", {"job.yaml", 2, 8}}, {"function", {"job.yaml", 1, 11}}};
    return CheckModule(checker_, std::string(source), "m.py", spec, {});
  }
  std::string Message(std::string_view source, const std::string& callable = "f") {
    const auto checked = Check(source, callable);
    return checked ? "" : checked.error().message;
  }

  test::TempTree tree_;
  Arguments args_;
  CodeChecker checker_{PosixFileSystem(), "", tree_ / "cache"};
};

TEST_F(CheckModuleTest, AcceptsDefinedFunctions) {
  for (const char* source :
       {"def f(): pass", "async def f(): pass", "class f: pass", "f = lambda: 1", "from x import f",
        "import g as f", "f: object = 1", "if True:\n  def f(): pass\n",
        "try:\n  import f\nexcept ImportError:\n  f = None\n", "a, (f, *b) = 1, (2, 3)",
        "with open('x') as f: pass"}) {
    EXPECT_TRUE(Check(source)) << source;
  }
  EXPECT_TRUE(Check("class Trainer:\n  def fit(self): pass\n", "Trainer.fit"));
}

TEST_F(CheckModuleTest, AcceptsUncertainDefinitions) {
  for (const char* source :
       {"from x import *", "def __getattr__(name): return 1", "from x import __getattr__",
        "globals()['f'] = 1", "for f in [1]: pass", "exec('f = 1')", "print(f := 1)",
        "import sys; setattr(sys.modules[__name__], 'f', 1)"}) {
    EXPECT_TRUE(Check(source)) << source;
  }
}

TEST_F(CheckModuleTest, RejectsUndefinedFunctions) {
  EXPECT_THAT(Message("def main(): pass\n"), HasSubstr("function: m.py has no f"));
  EXPECT_THAT(Message("def train(): pass\n", "trains"), HasSubstr("did you mean train?"));
  EXPECT_THAT(Message("class Trainer: pass\n", "Trained.fit"), HasSubstr("did you mean Trainer?"));
}

TEST_F(CheckModuleTest, ReportsMisspeltArgumentsWithPositions) {
  args_.named = {{"epohcs", 3}};
  const Status checked = Check("x = 1\ndef f(data=None, *, epochs: int = 1):\n  pass\n");
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(checked.error().message,
            "job.yaml:2:8: args.epohcs: f has no parameter epohcs; did you mean epochs?");
  EXPECT_EQ(checked.error().hint, "m.py:2: def f(data=None, *, epochs: int=1)");
}

TEST_F(CheckModuleTest, ChecksArgumentsOfFunctionsForThePythonPackage) {
  args_.named = {{"tinny", true}};
  for (const char* decorator : {"@kinetic.run", "@kinetic.run(name='a', accelerator='cpu')"}) {
    EXPECT_EQ(Message("import kinetic\n" + std::string(decorator) + "\ndef f(tiny=False): pass"),
              "args.tinny: f has no parameter tinny; did you mean tiny?");
  }
  for (const char* uncertain : {"import kinetic\n@kinetic.other\ndef f(tiny): pass",
                                "from x import kinetic\n@kinetic.run\ndef f(tiny): pass",
                                "import kinetic\n@wrap\n@kinetic.run\ndef f(tiny): pass"}) {
    EXPECT_TRUE(Check(uncertain)) << uncertain;
  }
}

TEST_F(CheckModuleTest, ReportsMissingAndSurplusArguments) {
  args_.named = {{"a", 3}};
  EXPECT_EQ(Message("def f(a, b, c=1, *, d): pass"),
            "job.yaml:1:11: function: f requires the arguments b, d");
  EXPECT_EQ(Message("async def f(a, /, **more): pass"),
            "job.yaml:1:11: function: f requires the argument a");
  EXPECT_TRUE(Check("def f(a, b=2): pass"));
  args_ = {.positional = {1, 2, 3}, .named = {}};
  EXPECT_EQ(Message("def f(a, b): pass"),
            "job.yaml:1:11: function: f takes at most 2 arguments, but the job has 3");
  EXPECT_TRUE(Check("def f(a, *rest): pass"));
}

TEST_F(CheckModuleTest, ChecksTheArgumentsOfTasks) {
  const auto check = [&](Value::List over) -> std::string {
    JobSpec spec;
    spec.function = {"m", "f"};
    spec.args.named = {{"a", 1}};
    spec.array = ArraySpec{.count = static_cast<std::uint32_t>(over.size()), .over = over};
    spec.positions = {{"array.over[1]", {"s.csv", 3, 0}}, {"array.over", {"job.yaml", 2, 8}}};
    const Status checked = CheckModule(checker_, "def f(a, b, c=1): pass\n", "m.py", spec, {});
    return checked ? "" : checked.error().message;
  };
  const Value good = Value::Map{{"b", 1}};
  EXPECT_EQ(check({good, Value::Map{{"b", 2}, {"c", 3}}}), "");
  EXPECT_EQ(check({good, Value::Map{{"b", 2}, {"cc", 3}}}),
            "s.csv:3: array.over[1].cc: f has no parameter cc; did you mean c?");
  EXPECT_EQ(check({good, Value::Map{{"c", 2}}}),
            "s.csv:3: array.over[1]: f requires the argument b");
  EXPECT_EQ(check({Value::Map{{"c", 2}}}), "job.yaml:2:8: array.over: f requires the argument b");
}

TEST_F(CheckModuleTest, AcceptsArgumentsOfUncertainSignatures) {
  args_.named = {{"epohcs", 3}};
  for (const char* source :
       {"@wrap\ndef f(epochs): pass", "def f(**options): pass", "class f: pass",
        "def f(epochs): pass\nf = wrap(f)", "if x:\n  def f(epochs): pass",
        "def f(epochs): pass\nif x:\n  def f(epohcs): pass", "from x import *\ndef f(epochs): pass",
        "def f(epochs): pass\nglobals()['f'] = 1"}) {
    EXPECT_TRUE(Check(source)) << source;
  }
}

TEST_F(CheckModuleTest, ReportsSyntaxErrorWithLine) {
  const auto message = Message("def f():\n  return (1\n\ndef g(:\n");
  EXPECT_THAT(message, StartsWith("m.py:"));
  EXPECT_THAT(Message("def f(:\n  pass\n"), StartsWith("m.py:1:7: "));
  EXPECT_THAT(Message("def f():\nreturn 1\n"), HasSubstr("return 1"));
  EXPECT_THAT(Message("x = 'a\n"), StartsWith("m.py:1:"));
  EXPECT_THAT(Message("def f():\n  return 1\n  break\n"), StartsWith("m.py:3:"));
}

TEST_F(CheckModuleTest, CachesSuccessfulChecks) {
  ASSERT_TRUE(Check("def f(): pass\n"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(tree_ / "cache/checked"), {}), 1);
  ASSERT_TRUE(Check("def f(): return 1\n"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(tree_ / "cache/checked"), {}), 2);
  ASSERT_FALSE(Check("def g(): pass\n"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(tree_ / "cache/checked"), {}), 2);
}

TEST_F(CheckModuleTest, IgnoresMissingInterpreter) {
  checker_.python = "/nowhere/python3";
  EXPECT_TRUE(Check("def f(:\n"));
}

TEST_F(CheckModuleTest, FindsStandardLibrary) {
  EXPECT_TRUE(IsInstalled(checker_.python, "json.decoder", {}));
  EXPECT_TRUE(IsInstalled(checker_.python, "sys", {}));
  EXPECT_FALSE(IsInstalled(checker_.python, "no_such_module_anywhere", {}));
  EXPECT_TRUE(IsInstalled("/nowhere/python3", "x", {}));
}

}  // namespace
}  // namespace kinetic::job
