#include "env/dockerfile.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kinetic::env {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kHash = "sha256:" + std::string(64, 'a');

Lock Sample() {
  Lock lock;
  lock.python = "3.12";
  lock.platform = "linux-x86_64";
  lock.packages = {{"foo", "1.0", "", {kHash}}, {"zip", "2", "https://h.example/z.whl", {kHash}}};
  return lock;
}

DockerfileOptions Options() {
  return {.private_urls = {},
          .naming = {.prefix = "/opt/kinetic/environment",
                     .base = "python:3.12-slim",
                     .repository = "localhost:5000/team/environments",
                     .category = "cpu"},
          .base_digest = {},
          .user = {}};
}

Dockerfile Made(const Lock& lock, const DockerfileOptions& options) {
  auto made = MakeDockerfile(lock, options);
  EXPECT_TRUE(made) << made.error().message;
  return made ? *std::move(made) : Dockerfile();
}

TEST(Dockerfile, InstallsEveryPackageWithItsHashIntoAnEnvironmentOfTheBasesPython) {
  const Dockerfile made = Made(Sample(), Options());
  EXPECT_EQ(
      made.text,
      "# Made by kinetic: the packages of a job, as its lock has them.\n"
      "# Jobs find the image as localhost:5000/team/environments:" +
          ImageTag(Sample(), Options().naming) +
          "\n"
          "FROM docker.io/library/python:3.12-slim\n"
          "RUN python3.12 -m venv --without-pip /opt/kinetic/environment\n"
          "RUN --mount=type=bind,source=requirements.txt,target=/tmp/requirements.txt \\\n"
          "    --mount=type=cache,target=/root/.cache/pip \\\n"
          "    set -e; \\\n"
          "    echo '" +
          Sha256::Of(made.requirements).Hex() +
          "  /tmp/requirements.txt' | sha256sum -c -; \\\n"
          "    pip=\"python3.12 -m pip --python /opt/kinetic/environment/bin/python\"; \\\n"
          "    if ! $pip --version > /dev/null 2>&1; then \\\n"
          "      python3.12 -m venv /tmp/pip; pip=\"/tmp/pip/bin/$pip\"; \\\n"
          "    fi; \\\n"
          "    $pip install --no-deps --require-hashes --only-binary=:all: \\\n"
          "      --no-input --no-warn-script-location --root-user-action=ignore \\\n"
          "      --disable-pip-version-check --progress-bar=off -r /tmp/requirements.txt; \\\n"
          "    rm -rf /tmp/pip /tmp/pip.log "
          "/opt/kinetic/environment/lib/python3.12/site-packages/*.dist-info/direct_url.json\n"
          "ENV PATH=\"/opt/kinetic/environment/bin:$PATH\" \\\n"
          "    VIRTUAL_ENV=\"/opt/kinetic/environment\"\n"
          "LABEL dev.kinetic.accelerator=\"cpu\" \\\n"
          "    dev.kinetic.environment=\"" +
          ImageKey(Sample(), Options().naming).Hex() +
          "\" \\\n"
          "    dev.kinetic.lock=\"foo==1.0 zip@https://h.example/z.whl\" \\\n"
          "    dev.kinetic.packages=\"2\" \\\n"
          "    dev.kinetic.python=\"3.12\" \\\n"
          "    org.opencontainers.image.base.name=\"python:3.12-slim\"\n");
  EXPECT_EQ(made.requirements,
            "# Made by kinetic: all packages of a job.\nfoo==1.0 --hash=" + kHash +
                "\nzip @ https://h.example/z.whl --hash=" + kHash + "\n");
  EXPECT_EQ(made.secret, "");
}

TEST(Dockerfile, AsksTheIndexesOfTheLock) {
  Lock lock = Sample();
  lock.index.url = "https://h.example/simple";
  lock.index.extra_urls = {"https://i.example/simple"};
  lock.index.find_links = {"https://l.example/"};
  lock.index.trusted_hosts = {"h.example"};
  EXPECT_THAT(Made(lock, Options()).requirements,
              HasSubstr("--index-url https://h.example/simple\n"
                        "--extra-index-url https://i.example/simple\n"
                        "--find-links https://l.example/\n"
                        "--trusted-host h.example\nfoo=="));
}

TEST(Dockerfile, CredentialsAreInTheSecretAlone) {
  Lock lock = Sample();
  lock.index.url = "https://h.example/simple";
  DockerfileOptions options = Options();
  options.private_urls = {{"https://h.example/simple", "https://ana:pa'ss@h.example/simple"},
                          {"https://h.example/z.whl", "https://h.example/z.whl?key=pa'ss"}};
  const Dockerfile made = Made(lock, options);
  EXPECT_EQ(made.secret,
            "KINETIC_INDEX_0='https://ana:pa'\\''ss@h.example/simple'\n"
            "KINETIC_URL_0='https://h.example/z.whl?key=pa'\\''ss'\n");
  EXPECT_THAT(made.requirements, HasSubstr("--index-url ${KINETIC_INDEX_0}\n"));
  EXPECT_THAT(made.requirements, HasSubstr("zip @ ${KINETIC_URL_0} --hash="));
  EXPECT_THAT(made.text, HasSubstr("    --mount=type=secret,id=kinetic_urls \\\n"));
  EXPECT_THAT(made.text, HasSubstr("    set -a; . /run/secrets/kinetic_urls; set +a; \\\n"));
  EXPECT_THAT(made.text,
              HasSubstr("-r /tmp/requirements.txt > /tmp/pip.log 2>&1 || failed=yes; \\\n"
                        "    sed -e 's|//[^/ ]*@|//****@|g' -e 's|?[^ ]*|?****|g'"));
  EXPECT_THAT(made.text, HasSubstr("    test -z \"$failed\"\n"));
  EXPECT_THAT(made.text, HasSubstr("# KINETIC_INDEX_0, KINETIC_URL_0\n"));
  EXPECT_THAT(made.text + made.requirements, Not(HasSubstr("ss@")));
  EXPECT_THAT(made.text + made.requirements, Not(HasSubstr("?key")));
}

TEST(Dockerfile, ABaseWhoseDigestIsKnownIsNamedByIt) {
  DockerfileOptions options = Options();
  options.base_digest = kHash;
  const Dockerfile made = Made(Sample(), options);
  EXPECT_THAT(made.text, HasSubstr("FROM docker.io/library/python@" + kHash + "\n"));
  EXPECT_THAT(made.text, HasSubstr("org.opencontainers.image.base.digest=\"" + kHash + "\""));
  options = Options();
  options.naming.base = "localhost:5000/base/python@" + kHash;
  EXPECT_THAT(Made(Sample(), options).text,
              HasSubstr("FROM localhost:5000/base/python@" + kHash + "\n"));
}

TEST(Dockerfile, AnotherUserThanRootIsTheUserOfTheImageAgain) {
  DockerfileOptions options = Options();
  options.user = "1000:1000";
  const std::string text = Made(Sample(), options).text;
  EXPECT_LT(text.find("USER root\nRUN "), text.find("USER 1000:1000\nENV "));
  options.user = "root";
  EXPECT_THAT(Made(Sample(), options).text, Not(HasSubstr("USER")));
}

TEST(Dockerfile, WithoutPackagesThereIsNothingToInstall) {
  Lock lock = Sample();
  lock.packages.clear();
  const std::string text = Made(lock, Options()).text;
  EXPECT_THAT(text, HasSubstr("venv --without-pip"));
  EXPECT_THAT(text, Not(HasSubstr("install")));
}

TEST(Dockerfile, ABaseThatIsNoNameIsRefused) {
  DockerfileOptions options = Options();
  options.naming.base = "no name";
  const auto made = MakeDockerfile(Sample(), options);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
}

TEST(Dockerfile, AFileOfSomebodyElseIsNotReplaced) {
  test::TempTree folder;
  const Dockerfile made = Made(Sample(), Options());
  ASSERT_TRUE(WriteContext(PosixFileSystem(), made, folder.path() / "new"));
  ASSERT_TRUE(WriteContext(PosixFileSystem(), made, folder.path() / "new"));
  const auto text = ReadFile(PosixFileSystem(), folder.path() / "new/Dockerfile", 1U << 20);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, made.text);
  ASSERT_TRUE(WriteFileAtomically(PosixFileSystem(), folder.path() / "requirements.txt", "mine\n"));
  const Status refused = WriteContext(PosixFileSystem(), made, folder.path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kAlreadyExists);
  const auto kept = ReadFile(PosixFileSystem(), folder.path() / "requirements.txt", 1U << 20);
  ASSERT_TRUE(kept);
  EXPECT_EQ(*kept, "mine\n");
  EXPECT_FALSE(ReadFile(PosixFileSystem(), folder.path() / "Dockerfile", 1U << 20));
}

}  // namespace
}  // namespace kinetic::env
