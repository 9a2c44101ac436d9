#include "env/resolve/annotations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Annotations, AreReadByPackage) {
  const auto read = ReadAnnotations(
      "--index-url https://a.example/simple\n"
      "numpy==2.4.6\n"
      "    # via\n"
      "    #   -r requirements.txt\n"
      "    #   pandas\n"
      "    # from https://ana:secret@b.example/simple\n"
      "Py_YAML[x]==6.0 ; python_version > '3'\n"
      "    # via speed (pyproject.toml)\n"
      "own @ https://c.example/own.whl\n");
  EXPECT_EQ(read.size(), 3U);
  EXPECT_THAT(read.at("numpy").via, ElementsAre("-r requirements.txt", "pandas"));
  EXPECT_EQ(read.at("numpy").index, "https://b.example/simple");
  EXPECT_THAT(read.at("py-yaml").via, ElementsAre("speed (pyproject.toml)"));
  EXPECT_THAT(read.at("own").via, IsEmpty());
}

}  // namespace
}  // namespace kinetic::env
