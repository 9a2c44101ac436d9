#include "unit/bundle/walk_fixture.h"

namespace kinetic::bundle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class WalkLinksTest : public WalkFixture {
 protected:
  std::string TargetOf(const std::string& path) {
    for (const auto& entry : Walked().entries) {
      if (entry.path == path) return entry.link_target;
    }
    return "no such link";
  }
};

TEST_F(WalkLinksTest, KeepsLinksInsideTheRoot) {
  WriteAll({"a/b/file", "top"});
  (void)tree_.MakeLink("l", "a/b/file");
  (void)tree_.MakeLink("a/b/up", "../../top");
  (void)tree_.MakeLink("folder", "a");
  (void)tree_.MakeLink("self", ".");
  const auto walked = Walked();
  EXPECT_THAT(Paths(), ElementsAre("a/b/file", "a/b/up", "folder", "l", "self", "top"));
  EXPECT_THAT(walked.warnings, IsEmpty());
  EXPECT_EQ(TargetOf("a/b/up"), "../../top");
  EXPECT_EQ(walked.entries[2].type, BundleEntry::Type::kSymlink);  // not followed
}

TEST_F(WalkLinksTest, KeepsDanglingAndCircularLinks) {
  (void)tree_.MakeLink("dangling", "not/there");
  (void)tree_.MakeLink("one", "two");
  (void)tree_.MakeLink("two", "one");
  EXPECT_THAT(Paths(), ElementsAre("dangling", "one", "two"));
  EXPECT_THAT(Walked().warnings, IsEmpty());
}

TEST_F(WalkLinksTest, MakesAbsoluteLinksRelative) {
  WriteAll({"a/b/file"});
  (void)tree_.MakeLink("a/c/l", (tree_ / "a/b/file").native());
  (void)tree_.MakeLink("a/c/gone", (tree_ / "a/none").native());
  (void)tree_.MakeLink("top", (tree_ / "a").native());
  (void)tree_.MakeLink("a/root", tree_.path().native());
  (void)tree_.MakeLink("a/round", "../../" + tree_.path().filename().native() + "/a/b");
  EXPECT_EQ(TargetOf("a/c/l"), "../../a/b/file");
  EXPECT_EQ(TargetOf("a/c/gone"), "../../a/none");
  EXPECT_EQ(TargetOf("top"), "a");
  EXPECT_EQ(TargetOf("a/root"), "..");
  EXPECT_EQ(TargetOf("a/round"), "../a/b");
}

TEST_F(WalkLinksTest, MakesAbsoluteLinksThroughAnAliasOfTheRootRelative) {
  const test::TempTree other;
  (void)other.MakeLink("alias", tree_.path().native());
  WriteAll({"file"});
  (void)tree_.MakeLink("l", (other / "alias/file").native());
  EXPECT_EQ(TargetOf("l"), "file");
}

TEST_F(WalkLinksTest, LeavesOutLinksOutsideTheRootWithAWarning) {
  WriteAll({"file"});
  (void)tree_.MakeLink("fine", "file");
  (void)tree_.MakeLink("abs", "/etc/hostname");
  (void)tree_.MakeLink("sub/up", "../../outside");
  (void)tree_.MakeLink("through", "sub/up");
  const auto walked = Walked();
  EXPECT_THAT(Paths(), ElementsAre("file", "fine"));
  EXPECT_THAT(
      walked.warnings,
      ElementsAre("the link abs -> /etc/hostname points outside the bundle and is left out",
                  "the link sub/up -> ../../outside points outside the bundle and is left out",
                  "the link through -> sub/up points outside the bundle and is left out"));
}

TEST_F(WalkLinksTest, LeavesOutLinksThatLeaveThroughOtherLinks) {
  WriteAll({"a/b/file"});
  (void)tree_.MakeLink("deep", "a/b");
  (void)tree_.MakeLink("fine", "deep/../../a");
  (void)tree_.MakeLink("out", "deep/../../../x");
  EXPECT_THAT(Paths(), ElementsAre("a/b/file", "deep", "fine"));
  EXPECT_THAT(Walked().warnings, ElementsAre(HasSubstr("the link out -> ")));
}

TEST_F(WalkLinksTest, IgnoresExcludedLinks) {
  (void)tree_.MakeLink("data", "/datasets");
  EXPECT_THAT(Paths({.exclude = {"/data"}}), IsEmpty());
}

TEST_F(WalkLinksTest, WarnsAboutLinksToExcludedFiles) {
  WriteAll({"venv/bin/python", "kept/x"});
  (void)tree_.MakeLink("python", "venv/bin/python");
  (void)tree_.MakeLink("folder", "kept");
  EXPECT_THAT(Walked().warnings,
              ElementsAre("the link python -> venv/bin/python points to venv/bin/python, which "
                          "is not bundled"));
}

}  // namespace
}  // namespace kinetic::bundle
