#include "oci/inspect/tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::oci {
namespace {

using Kind = LayerEntry::Kind;

LayerEntry File(const std::string& path) { return {path, Kind::kFile, true, {}}; }
LayerEntry Folder(const std::string& path) { return {path, Kind::kFolder, true, {}}; }
LayerEntry Link(const std::string& path, const std::string& target) {
  return {path, Kind::kSymlink, true, target};
}

ImageTree TreeOf(const std::vector<std::vector<LayerEntry>>& layers) {
  ImageTree tree;
  for (const auto& layer : layers) tree.AddLayer(layer);
  return tree;
}

std::string Resolve(const ImageTree& tree, const std::string& path) {
  const auto found = tree.Find(path);
  return found ? found->path : "";
}

TEST(ImageTree, FindsEntries) {
  const auto tree =
      TreeOf({{Folder("./"), Folder("./usr/"), File("./usr/bin/env"), File("/init")}});
  EXPECT_EQ(Resolve(tree, "/usr/bin/env"), "/usr/bin/env");
  EXPECT_EQ(Resolve(tree, "usr//bin/./env"), "/usr/bin/env");
  EXPECT_EQ(Resolve(tree, "/usr/bin"), "/usr/bin");
  EXPECT_EQ(tree.Find("/usr/bin")->node->kind, Kind::kFolder);
  EXPECT_EQ(Resolve(tree, "/init"), "/init");
  EXPECT_EQ(Resolve(tree, "/usr/bin/en"), "");
  EXPECT_EQ(Resolve(tree, "/"), "");
}

TEST(ImageTree, FollowsLinks) {
  const auto tree =
      TreeOf({{Link("bin", "usr/bin"), File("usr/local/bin/python3.12"),
               Link("usr/bin/python3", "../local/bin/python3"),
               Link("usr/local/bin/python3", "python3.12"), Link("usr/bin/python", "/bin/python3"),
               Link("usr/bin/up", "../../../init"), File("init"), Link("usr/bin/lost", "nowhere"),
               Link("one", "two"), Link("two", "one")}});
  EXPECT_EQ(Resolve(tree, "/bin/python"), "/usr/local/bin/python3.12");
  EXPECT_EQ(Resolve(tree, "/usr/bin/up"), "/init");
  EXPECT_EQ(Resolve(tree, "/usr/bin/lost"), "");
  EXPECT_EQ(Resolve(tree, "/one"), "");
}

TEST(ImageTree, ResolvesLinksInParents) {
  const auto tree = TreeOf({{Folder("usr/lib"), Link("lib", "usr/lib")},
                            {Folder("lib64x"), File("lib/ld.so"), File("gone/../init")}});
  EXPECT_EQ(Resolve(tree, "/usr/lib/ld.so"), "/usr/lib/ld.so");
  EXPECT_EQ(Resolve(tree, "/lib/ld.so"), "/usr/lib/ld.so");
  EXPECT_EQ(Resolve(tree, "/init"), "");
}

TEST(ImageTree, AppliesWhiteouts) {
  const std::vector<LayerEntry> below{File("a/one"), File("a/two/three"), File("a.b"),
                                      File("ab"),    File("c/one"),       File("c/two")};
  auto tree = TreeOf({below, {File("a/.wh.two"), File(".wh.ab")}});
  EXPECT_EQ(Resolve(tree, "/a/two/three"), "");
  EXPECT_EQ(Resolve(tree, "/a/two"), "");
  EXPECT_EQ(Resolve(tree, "/ab"), "");
  EXPECT_EQ(Resolve(tree, "/a/one"), "/a/one");
  EXPECT_EQ(Resolve(tree, "/a/.wh.two"), "");

  // A whiteout does not hide entries of its own layer.
  tree = TreeOf({below,
                 {File("c/three"), File("c/.wh..wh..opq"), File("c/four"), File("ab"),
                  File(".wh.ab"), File(".wh..wh.plnk")}});
  EXPECT_EQ(Resolve(tree, "/c/one"), "");
  EXPECT_EQ(Resolve(tree, "/c/three"), "/c/three");
  EXPECT_EQ(Resolve(tree, "/c/four"), "/c/four");
  EXPECT_EQ(Resolve(tree, "/ab"), "/ab");
  EXPECT_EQ(Resolve(tree, "/a.b"), "/a.b");

  tree = TreeOf({below, {File(".wh.a")}});
  EXPECT_EQ(Resolve(tree, "/a"), "");
  EXPECT_EQ(Resolve(tree, "/a/one"), "");
  EXPECT_EQ(Resolve(tree, "/a.b"), "/a.b");

  tree = TreeOf({below, {File(".wh..wh..opq"), File("new")}});
  EXPECT_EQ(Resolve(tree, "/a.b"), "");
  EXPECT_EQ(Resolve(tree, "/new"), "/new");
}

TEST(ImageTree, ReplacesAFolderByAFile) {
  auto tree =
      TreeOf({{File("a/one"), Link("b", "a")}, {Link("a", "c"), Folder("b"), File("b/two")}});
  EXPECT_EQ(Resolve(tree, "/a/one"), "");
  EXPECT_EQ(Resolve(tree, "/b/two"), "/b/two");
  tree = TreeOf({{File("a/one")}, {Folder("a"), File("a/two")}});
  EXPECT_EQ(Resolve(tree, "/a/one"), "/a/one");
  tree = TreeOf({{File("a")}, {File("a/two")}});
  EXPECT_EQ(Resolve(tree, "/a/two"), "/a/two");
}

TEST(ImageTree, ListsAFolder) {
  const auto tree = TreeOf({{File("lib/python3.12/os.py"), File("lib/python3"), File("lib/pythop"),
                             File("libx"), File("python3.1")}});
  EXPECT_EQ(tree.ListNames("/lib", "python"), (std::vector<std::string>{"python3", "python3.12"}));
  EXPECT_EQ(tree.ListNames("/", "python"), std::vector<std::string>{"python3.1"});
  EXPECT_TRUE(tree.ListNames("/li", "").empty());
}

}  // namespace
}  // namespace kinetic::oci
