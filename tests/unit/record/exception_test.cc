#include "kinetic/job.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

RemoteException MakeException(std::string type, std::string message, std::vector<Frame> traceback) {
  return {std::move(type), std::move(message), std::move(traceback), "", nullptr};
}

TEST(RemoteExceptionTest, FormatsLikePython) {
  const auto inner = MakeException("KeyError", "'a'", {{"/job/t.py", 4, "<module>", "{}['a']"}});
  auto outer =
      MakeException("my.mod.Error", "bad\nline", {{"/job/t.py", 6, "<module>", "raise Error()"}});
  outer.cause = std::make_shared<const RemoteException>(inner);
  outer.relation = "cause";
  EXPECT_EQ(outer.Format(), R"(Traceback (most recent call last):
  File "/job/t.py", line 4, in <module>
    {}['a']
KeyError: 'a'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/job/t.py", line 6, in <module>
    raise Error()
my.mod.Error: bad
line
)");
  outer.relation = "context";
  EXPECT_NE(outer.Format().find(
                "\n\nDuring handling of the above exception, another exception occurred:\n\n"),
            std::string::npos);
}

TEST(RemoteExceptionTest, OmitsMissingParts) {
  EXPECT_EQ(MakeException("ValueError", "", {}).Format(), "ValueError\n");
  EXPECT_EQ(MakeException("ValueError", "x", {{"<string>", 1, "f", ""}}).Format(),
            "Traceback (most recent call last):\n  File \"<string>\", line 1, in f\nValueError: "
            "x\n");
  EXPECT_EQ(MakeException("SyntaxError", "", {{"m.py", 3, "", "x = = 2"}}).Format(),
            "Traceback (most recent call last):\n  File \"m.py\", line 3\n    x = = 2\n"
            "SyntaxError\n");
}

TEST(RemoteExceptionTest, CountsRepeatedFrames) {
  std::vector<Frame> frames = {{"t.py", 1, "g", "f(10)"}};
  for (int i = 0; i < 11; ++i) frames.push_back({"t.py", 11, "f", "f(n-1)"});
  const std::string line = "  File \"t.py\", line 11, in f\n    f(n-1)\n";
  EXPECT_EQ(MakeException("E", "", frames).Format(),
            "Traceback (most recent call last):\n  File \"t.py\", line 1, in g\n    f(10)\n" +
                line + line + line + "  [Previous line repeated 8 more times]\nE\n");
  frames.resize(5);
  frames.push_back({"t.py", 12, "h", ""});
  EXPECT_EQ(MakeException("E", "", frames).Format(),
            "Traceback (most recent call last):\n  File \"t.py\", line 1, in g\n    f(10)\n" +
                line + line + line +
                "  [Previous line repeated 1 more time]\n  File \"t.py\", line 12, in h\nE\n");
}

TEST(RemoteExceptionTest, CountsOmittedFrames) {
  EXPECT_EQ(
      MakeException("E", "", {{"t.py", 1, "f", ""}, {"…", 0, "796 frames omitted", ""}}).Format(),
      "Traceback (most recent call last):\n  File \"t.py\", line 1, in f\n  [796 frames "
      "omitted]\nE\n");
}

}  // namespace
}  // namespace kinetic
