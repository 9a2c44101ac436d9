#include "env/dependencies/pylock.h"

#include "unit/env/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Pylock, ReadsEachKindOfPackage) {
  const std::string hash(64, 'a');
  const auto packages = ReadPylock(
      "lock-version = '1.0'\ncreated-by = 'uv'\n"
      "[[packages]]\nname = 'Six'\nversion = '1.16.0'\nindex = 'https://h.example/simple'\n"
      "sdist = { url = 'https://h.example/s.tar.gz', hashes = { sha256 = '" +
      std::string(64, 'b') +
      "' } }\n"
      "wheels = [{ url = 'https://h.example/s.whl', upload-time = 2021-05-05T14:18:17Z, "
      "hashes = { sha256 = '" +
      hash +
      "', md5 = 'x' } }]\n"
      "[[packages]]\nname = 'url'\nversion = '1'\narchive = { url = 'https://h.example/u.zip', "
      "subdirectory = 'p', hashes = { sha256 = '" +
      hash +
      "' } }\n"
      "[[packages]]\nname = 'file'\nversion = '1'\narchive = { path = '../x.whl', hashes = { "
      "sha256 = '" +
      hash +
      "' } }\n"
      "[[packages]]\nname = 'own'\ndirectory = { path = '.', editable = true }\n"
      "[[packages]]\nname = 'repo'\nvcs = { type = 'git', url = 'https://h.example/r', "
      "commit-id = '" +
      std::string(40, 'c') + "' }\n");
  ASSERT_TRUE(packages) << packages.error().message;
  ASSERT_EQ(packages->size(), 5U);
  EXPECT_EQ((*packages)[0].package.name, "six");
  EXPECT_EQ((*packages)[0].index, "https://h.example/simple");
  EXPECT_THAT((*packages)[0].package.hashes, ElementsAre(kHash, "sha256:" + std::string(64, 'b')));
  EXPECT_THAT(
      (*packages)[0].package.files,
      ElementsAre(LockedFile{"https://h.example/s.tar.gz", "sha256:" + std::string(64, 'b')},
                  LockedFile{"https://h.example/s.whl", kHash}));
  EXPECT_EQ((*packages)[1].package.url, "https://h.example/u.zip#subdirectory=p");
  EXPECT_EQ((*packages)[2].file, "../x.whl");
  EXPECT_THAT((*packages)[2].package.url, IsEmpty());
  EXPECT_EQ((*packages)[3].folder, ".");
  EXPECT_EQ((*packages)[4].repository, "https://h.example/r");
}

TEST(Pylock, RejectsValuesThatAreNoNames) {
  const auto error = [](const std::string& package) {
    const auto read = ReadPylock("lock-version = '1.0'\n[[packages]]\n" + package);
    return read ? "no error" : read.error().message;
  };
  const auto repository = [](const std::string& commit, const std::string& folder) {
    return "name = 'a'\nvcs = { url = 'https://h.example/r', commit-id = '" + commit +
           "', subdirectory = '" + folder + "' }\n";
  };
  const std::string commit(40, 'c');
  EXPECT_EQ(error(repository(commit, "x/y")), "no error");
  EXPECT_THAT(error(repository(commit, "x/../../y")), HasSubstr("outside of the repository"));
  EXPECT_THAT(error(repository(commit, "/etc")), HasSubstr("outside of the repository"));
  EXPECT_THAT(error(repository("--orphan", "")), HasSubstr("invalid commit '--orphan'"));
  EXPECT_THAT(error("name = '../a'\ndirectory = { path = '.' }\n"), HasSubstr("invalid name"));
  EXPECT_THAT(error("name = 'a'\nversion = '1'\n"
                    "wheels = [{ hashes = { sha256 = \"a\\n-e ./x\" } }]\n"),
              HasSubstr("invalid hash"));
}

TEST(Pylock, RejectsOtherVersions) {
  EXPECT_THAT(ReadPylock("lock-version = '2.0'\n").error().message,
              HasSubstr("expected lock-version 1, found '2.0'"));
  EXPECT_FALSE(ReadPylock("["));
  EXPECT_THAT(*ReadPylock("lock-version = '1.0'\n"), IsEmpty());
}

}  // namespace
}  // namespace kinetic::env
