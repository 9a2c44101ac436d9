#include "env/dockerfile/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::env {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DockerfileInputsTest, RunWithoutCopyNeedsNoContext) {
  const auto use = ReadDockerfileInputs(
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

TEST(DockerfileInputsTest, BaseIsThatOfLastStage) {
  EXPECT_EQ(ReadDockerfileInputs("FROM a:1 AS One\nFROM b AS two\nFROM one\n").base, "a:1");
  EXPECT_EQ(ReadDockerfileInputs("FROM a AS one\nFROM scratch\n").base, "");
  EXPECT_EQ(ReadDockerfileInputs("FROM ${BASE}\n").base, "");
}

TEST(DockerfileInputsTest, CopyNeedsContext) {
  for (const char* text :
       {"FROM a\nCOPY x /x\n", "FROM a\n  add x /x\n", "FROM a\nRUN --mount=target=/src make\n",
        "FROM a\nRUN --mount=type=bind,target=/src make\n", "FROM a\nONBUILD COPY . .\n",
        "FROM a\nCOPY \\\n  x /x\n", "# syntax=example.com/own:2\nFROM a\n"}) {
    EXPECT_TRUE(ReadDockerfileInputs(text).context) << text;
  }
}

TEST(DockerfileInputsTest, CopyFromImageNeedsNoContext) {
  const auto use = ReadDockerfileInputs(
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

TEST(DockerfileInputsTest, AcceptsAnyText) {
  for (const char* text :
       {"", "\n\\\n", "FROM", "FROM --x", "COPY --from=", "#syntax", "FROM a AS"}) {
    EXPECT_THAT(ReadDockerfileInputs(text).registries,
                testing::AnyOf(IsEmpty(), ElementsAre("docker.io")))
        << text;
  }
}

}  // namespace
}  // namespace kinetic::env
