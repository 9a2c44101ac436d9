#include "env/lock.h"

#include "env/resolve/resolver.h"
#include "unit/env/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

Lock LockWithUrls() {
  Lock lock;
  lock.manifest_key = Sha256::Of("m");
  lock.python = "3.12";
  lock.platform = "linux-x86_64";
  lock.index.url = "https://h.example/simple";
  lock.index.only_binary = {"foo"};
  lock.packages = {{"foo", "1.0", "", {kHash}},
                   {"zip", "2", "https://h.example/z.zip", {kHash}, "zip-2-py3-none-any.whl"},
                   {"six", "1", "", {kHash}, "", {{"https://h.example/six.whl", kHash}}}};
  lock.resolved_at = WallTime(1'700'000'000s);
  lock.resolver = "pip 24.0";
  return lock;
}

TEST(Lock, RoundTripsJson) {
  const Lock lock = LockWithUrls();
  const auto read = LockFromJson(ToJson(lock));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->manifest_key, lock.manifest_key);
  EXPECT_EQ(read->index, lock.index);
  EXPECT_EQ(read->packages, lock.packages);
  EXPECT_EQ(read->resolved_at, lock.resolved_at);
  EXPECT_EQ(read->EnvironmentId(), lock.EnvironmentId());
}

TEST(Lock, ReportsInvalidJson) {
  const auto error = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    const auto read = LockFromJson(text);
    return read ? "no error" : read.error().message;
  };
  std::string json = ToJson(LockWithUrls());
  json.replace(json.rfind(",\n  \"check\""), std::string::npos, "\n}\n");
  EXPECT_THAT(error(json, "\"version\": 1", "\"version\": 2"),
              HasSubstr("newer than this version of kinetic"));
  EXPECT_THAT(error(json, "\"manifest_key\": \"", "\"manifest_key\": \"x"),
              HasSubstr("manifest_key"));
  EXPECT_THAT(error(json, "\"3.12\"", "12"), HasSubstr("python"));
  EXPECT_THAT(error(json, "2023-", "x-"), HasSubstr("resolved_at"));
  EXPECT_THAT(error(json, "{", ""), HasSubstr("lock"));
  EXPECT_EQ(LockFromJson("[]").error().code, ErrorCode::kDataLoss);
}

TEST(Lock, RejectsValuesThatAreNoNames) {
  const auto error = [](auto change) {
    Lock lock = LockWithUrls();
    change(lock);
    const auto read = LockFromJson(ToJson(lock));
    return read ? "no error" : read.error().message;
  };
  const auto wheel = [&](const std::string& name) {
    return error([&](Lock& l) { l.packages[1].wheel = name; });
  };
  EXPECT_EQ(wheel("a_b-1!2.0+cu12.1-1-py3-none-any.whl"), "no error");
  for (const char* const name :
       {"../../x.whl", "/x.whl", "x\n.whl", ".x.whl", "x.zip", "x y.whl"}) {
    EXPECT_THAT(wheel(name), HasSubstr("invalid file name of a wheel")) << name;
  }
  const auto hash = [&](const std::string& text) {
    return error([&](Lock& l) { l.packages[1].hashes = {text}; });
  };
  EXPECT_THAT(hash("sha512:" + std::string(128, 'a')), HasSubstr("expected a SHA-256"));
  for (const std::string text :
       {"sha256:../../x", "sha256:", "sha256", "x", "md5:00", "sha256:a\n--pre"}) {
    EXPECT_THAT(hash(text), HasSubstr("invalid hash")) << text;
  }
  for (const char* const name : {"", "-e", "../x", "a b", "a\n-e ./x", "a/b"}) {
    EXPECT_THAT(error([&](Lock& l) { l.packages[0].name = name; }), HasSubstr("invalid name"));
  }
  EXPECT_THAT(error([](Lock& l) { l.packages[0].version = "1\n-e x"; }),
              HasSubstr("invalid version"));
  EXPECT_THAT(error([](Lock& l) { l.packages[1].url = "x\n-e y"; }), HasSubstr("invalid URL"));
  EXPECT_THAT(error([](Lock& l) { l.python = "3/../../x"; }),
              HasSubstr("python: expected a version"));
  EXPECT_THAT(error([](Lock& l) { l.base_image = "../x"; }), HasSubstr("base_image"));
}

TEST(Lock, IdDependsOnInstalledContent) {
  const Digest id = LockWithUrls().EnvironmentId();
  const auto with = [](auto change) {
    Lock lock = LockWithUrls();
    change(lock);
    return lock.EnvironmentId();
  };
  EXPECT_EQ(with([](Lock& l) { l.resolver = "uv"; }), id);
  EXPECT_EQ(with([](Lock& l) { l.resolved_at += 1h; }), id);
  EXPECT_EQ(with([](Lock& l) { l.index.url = "https://mirror.example"; }), id);
  EXPECT_EQ(with([](Lock& l) { l.manifest_key = {}; }), id);
  EXPECT_NE(with([](Lock& l) { l.python = "3.11"; }), id);
  EXPECT_NE(with([](Lock& l) { l.platform = "linux-aarch64"; }), id);
  EXPECT_NE(with([](Lock& l) { l.base_image = "sha256:x"; }), id);
  EXPECT_NE(with([](Lock& l) { l.packages[0].version = "1.1"; }), id);
  EXPECT_NE(with([](Lock& l) { l.packages[0].hashes[0][7] = 'b'; }), id);
  EXPECT_NE(with([](Lock& l) { l.packages.pop_back(); }), id);
}

TEST(Lock, PublicFormHasUrlsAsVersions) {
  const EnvironmentLock shown = ToPublic(LockWithUrls(), true);
  EXPECT_EQ(shown.packages.at(0).version, "1.0");
  EXPECT_EQ(shown.packages.at(1).version, "https://h.example/z.zip");
  EXPECT_TRUE(shown.from_cache);
  EXPECT_EQ(shown.id, LockWithUrls().EnvironmentId().Hex());
}

}  // namespace
}  // namespace kinetic::env
