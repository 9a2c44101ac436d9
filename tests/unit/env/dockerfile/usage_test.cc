#include "env/dockerfile/usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::env {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DockerfileUseTest, WhatOnlyRunsProgramsNeedsNoFiles) {
  const auto use = UseOf(
      "# syntax=docker/dockerfile:1.7\n"
      "FROM python:3.12\n"
      "RUN --mount=type=cache,target=/root/.cache pip install \\\n"
      "    # a note\n"
      "    jax\n"
      "ENV COPY=1\n");
  EXPECT_FALSE(use.context);
  EXPECT_THAT(use.registries, ElementsAre("docker.io"));
  EXPECT_EQ(use.base, "python:3.12");
}

TEST(DockerfileUseTest, ItsBaseIsThatOfTheLastStage) {
  EXPECT_EQ(UseOf("FROM a:1 AS One\nFROM b AS two\nFROM one\n").base, "a:1");
  EXPECT_EQ(UseOf("FROM a AS one\nFROM scratch\n").base, "");
  EXPECT_EQ(UseOf("FROM ${BASE}\n").base, "");
}

TEST(DockerfileUseTest, WhatCopiesNeedsThem) {
  for (const char* text :
       {"FROM a\nCOPY x /x\n", "FROM a\n  add x /x\n", "FROM a\nRUN --mount=target=/src make\n",
        "FROM a\nRUN --mount=type=bind,target=/src make\n", "FROM a\nONBUILD COPY . .\n",
        "FROM a\nCOPY \\\n  x /x\n", "# syntax=example.com/own:2\nFROM a\n"}) {
    EXPECT_TRUE(UseOf(text).context) << text;
  }
}

TEST(DockerfileUseTest, WhatComesFromOtherImagesIsNoFileOfTheContext) {
  const auto use = UseOf(
      "ARG BASE=x\n"
      "FROM --platform=linux/amd64 ghcr.io/org/tools:1 AS Tools\n"
      "FROM tools AS more\n"
      "FROM $BASE\n"
      "FROM scratch\n"
      "COPY --from=tools /bin/t /bin/t\n"
      "COPY --chmod=755 --from=0 /a /a\n"
      "COPY --from=localhost:5000/other /b /b\n"
      "RUN --mount=from=more,target=/m true\n");
  EXPECT_FALSE(use.context);
  EXPECT_THAT(use.registries, ElementsAre("ghcr.io", "localhost:5000"));
}

TEST(DockerfileUseTest, AnyTextHasAnAnswer) {
  for (const char* text :
       {"", "\n\\\n", "FROM", "FROM --x", "COPY --from=", "#syntax", "FROM a AS"}) {
    EXPECT_THAT(UseOf(text).registries, testing::AnyOf(IsEmpty(), ElementsAre("docker.io")))
        << text;
  }
}

}  // namespace
}  // namespace kinetic::env
