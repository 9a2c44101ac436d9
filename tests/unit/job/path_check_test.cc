#include "job/path_check.h"

#include <gtest/gtest.h>

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

TEST(AbsentPaths, FindsWhatTravelsByNameAndByFolder) {
  Arguments arguments;
  arguments.positional = {PathTo("data/a.csv"), PathTo("data"), PathTo("./data/"), PathTo("."),
                          PathTo("/mounted/set")};
  EXPECT_EQ(AbsentPaths(arguments, Tree({"data-2/b", "data/a.csv", "z"})),
            (std::vector<std::string>{}));
}

TEST(AbsentPaths, NamesTheRestOnceAtAnyDepth) {
  Arguments arguments;
  arguments.named = {{"x", Value::List{PathTo("dat"), Value::Map{{"y", PathTo("gone.json")}}}},
                     {"z", PathTo("dat")}};
  EXPECT_EQ(AbsentPaths(arguments, Tree({"data/a.csv"})),
            (std::vector<std::string>{"dat", "gone.json"}));
}

}  // namespace
}  // namespace kinetic::job
