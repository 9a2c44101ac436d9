#include "job/submit/checks.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

bundle::SourceTree Tree(const std::vector<std::string>& paths) {
  bundle::SourceTree tree;
  for (const auto& path : paths) {
    bundle::SourceEntry entry;
    entry.path = path;
    tree.entries.push_back(std::move(entry));
  }
  return tree;
}

Value PathTo(const std::string& path) { return Value::Map{{"$path", path}}; }

JobSpec Job(Arguments arguments) {
  JobSpec spec;
  spec.args = std::move(arguments);
  return spec;
}

TEST(CheckPaths, AcceptsBundledFilesAndFolders) {
  const JobSpec spec = Job({.positional = {PathTo("data/a.csv"), PathTo("data"), PathTo("./data/"),
                                           PathTo("."), PathTo("/mounted/set")},
                            .named = {}});
  EXPECT_TRUE(CheckPaths(PosixFileSystem(), spec, Tree({"data-2/b", "data/a.csv", "z"})));
}

TEST(CheckPaths, ReportsMissingPathsWithPositions) {
  JobSpec spec =
      Job({.positional = {},
           .named = {{"x", Value::List{PathTo("dat"), Value::Map{{"y", PathTo("gone.json")}}}}}});
  spec.positions["args.x[1].y"] = {"job.yaml", 3, 9};
  const Status checked = CheckPaths(PosixFileSystem(), spec, Tree({"data/a.csv"}));
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(checked.error().message,
            "args.x[0]: found $path dat, which does not exist, expected a path in the bundle\n"
            "job.yaml:3:9: args.x[1].y: found $path gone.json, which does not exist, expected a "
            "path in the bundle");
}

TEST(CheckPaths, DistinguishesExcludedFromMissing) {
  bundle::SourceTree tree = Tree({});
  tree.root = "/usr";
  const Status checked =
      CheckPaths(PosixFileSystem(), Job({.positional = {PathTo("bin")}, .named = {}}), tree);
  ASSERT_FALSE(checked);
  EXPECT_EQ(
      checked.error().message,
      "args[0]: found $path bin, which is excluded from the bundle, expected a path in the bundle");
}

JobSpec Running(std::vector<std::string> command, const std::string& workdir) {
  JobSpec spec;
  spec.run = Command{.shell = {}, .argv = std::move(command)};
  spec.workdir = workdir;
  return spec;
}

TEST(CheckScript, ReportsScriptsThatAreNotInTheBundle) {
  bundle::SourceTree tree = Tree({"sub/train.py"});
  tree.root = "/usr";
  const auto message = [&](const JobSpec& spec) {
    const Status checked = CheckScript(PosixFileSystem(), spec, tree);
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(message(Running({"python3", "train.py"}, "sub")), "");
  EXPECT_EQ(message(Running({"python3", "../sub/train.py"}, "sub")), "");
  EXPECT_EQ(message(Running({"python3", "../../other/train.py", "x"}, "sub")),
            "cannot run ../../other/train.py: it is outside of the bundle's root /usr");
  for (const char* other : {"nowhere.py", "/x/train.py", "-c", "../x"})
    EXPECT_EQ(message(Running({"python3", other}, ".")), "") << other;
  EXPECT_EQ(message(Running({"cat", "../train.py"}, ".")), "");
  EXPECT_EQ(message(Running({"python3"}, ".")), "");
}

}  // namespace
}  // namespace kinetic::job
