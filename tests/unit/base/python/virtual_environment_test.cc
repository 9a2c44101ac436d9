#include "base/python/virtual_environment.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace kinetic {
namespace {

TEST(ShebangLine, UsesShellForLongPathsAndSpaces) {
  for (const std::string& prefix : {"/" + std::string(120, 'x'), std::string("/a b")}) {
    const std::string lines = ShebangLine(prefix);
    EXPECT_TRUE(lines.starts_with("#!/bin/sh\n'''exec' ")) << lines;
    EXPECT_EQ(ReplaceShebang(lines + "\nx\n", "#!/x"), "#!/x\nx\n");
  }
}

TEST(ReplaceShebang, ReplacesPythonPath) {
  const std::string line = ShebangLine("/kinetic/env");
  EXPECT_EQ(line, "#!/kinetic/env/bin/python");
  EXPECT_EQ(ReplaceShebang("#!python\nx\n", line), line + "\nx\n");
  EXPECT_EQ(ReplaceShebang("#!pythonw\r\nx\n", line), line + "\nx\n");
  EXPECT_EQ(ReplaceShebang("#! /usr/bin/python3.11 -E\nx", line), line + "\nx");
  EXPECT_EQ(ReplaceShebang("#!/bin/sh\n'''exec' '/a b/python' \"$0\" \"$@\"\n' '''\nx\n", line),
            line + "\nx\n");
}

TEST(ReplaceShebang, IgnoresOtherPrograms) {
  for (const char* const script :
       {"#!/bin/sh\necho\n", "#!/usr/bin/env python3\n", "import x\n", "", "#!",
        "#!/opt/python/bin/perl\n", "#!/bin/sh\n'''exec' x\n"}) {
    EXPECT_EQ(ReplaceShebang(script, "#!/x"), std::nullopt) << script;
  }
}

}  // namespace
}  // namespace kinetic
