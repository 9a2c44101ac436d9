#include "env/resolve/build_request.h"

#include "env/packages/stored_packages.h"
#include "env/resolve/resolver.h"
#include "record/object_names.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"
#include "unit/env/sample.h"

#include <gmock/gmock.h>

#include <string>

namespace kinetic::env {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Manifest RequestedManifest() {
  Manifest manifest;
  manifest.for_pod = true;
  manifest.python = "3.12";
  manifest.platform = "linux-x86_64";
  manifest.accelerator = "tpu";
  manifest.base_image = "python:3.12-slim";
  manifest.index.url = "http://h/simple";
  manifest.index.pre = true;
  manifest.extras = {"train"};
  manifest.groups = {"dev"};
  manifest.requirements = {"humanize==4.9.0", "idna"};
  manifest.constraints = {"idna<4"};
  manifest.private_urls = {{"http://h/simple", "http://ana:geheim@h/simple"}};
  return manifest;
}

Lock SampleLock() {
  Lock lock;
  lock.manifest_key = RequestedManifest().Key();
  lock.python = "3.12";
  lock.platform = "linux-x86_64";
  lock.resolver = "pip 24.0";
  lock.packages = {{"idna", "3.7", "", {"sha256:" + std::string(64, 'b')}}};
  return lock;
}

TEST(BuildRequest, RoundTrips) {
  const BuildRequest build_request{.manifest = RequestedManifest(),
                                   .lock = SampleLock(),
                                   .base_digest = "sha256:" + std::string(64, 'c'),
                                   .renew = true,
                                   .prefix = kPrefix};
  const auto read = BuildRequestFromJson(ToJson(build_request));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->manifest.Key(), build_request.manifest.Key());
  EXPECT_EQ(read->manifest.index, build_request.manifest.index);
  EXPECT_EQ(read->manifest.requirements, build_request.manifest.requirements);
  EXPECT_TRUE(read->renew);
  EXPECT_EQ(read->base_digest, build_request.base_digest);
  EXPECT_EQ(read->prefix, kPrefix);
  ASSERT_TRUE(read->lock);
  EXPECT_EQ(read->lock->EnvironmentId(), build_request.lock->EnvironmentId());
}

TEST(BuildRequest, ContainsNoCredentials) {
  const BuildRequest build_request{.manifest = RequestedManifest(),
                                   .lock = std::nullopt,
                                   .base_digest = {},
                                   .renew = false,
                                   .prefix = ""};
  EXPECT_THAT(ToJson(build_request), Not(HasSubstr("geheim")));
  const auto read = BuildRequestFromJson(ToJson(build_request));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->lock);
}

TEST(BuildRequest, RejectsOtherVersions) {
  // Another version of kinetic has other inputs in the key.
  const BuildRequest build_request{.manifest = RequestedManifest(),
                                   .lock = std::nullopt,
                                   .base_digest = {},
                                   .renew = false,
                                   .prefix = ""};
  Value value = *Value::FromJson(ToJson(build_request));
  Value manifest = *value.Find("manifest");
  manifest.Set("key", std::string(64, '0'));
  value.Set("manifest", manifest);
  Value unchecked = Value::Map();
  for (const auto& [name, member] : *value.AsMap()) {
    if (name != "check") unchecked.Set(name, member);
  }
  const auto read = BuildRequestFromJson(unchecked.ToJson());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(read.error().message, HasSubstr("another version of kinetic"));
}

TEST(BuildRequest, RunsWithoutPythonIfNothingIsMissing) {
  test::FakeClock clock;
  test::MemoryStore store(clock);
  const test::TempTree files;
  BuildRequest build_request{.manifest = RequestedManifest(),
                             .lock = Lock(),
                             .base_digest = {},
                             .renew = false,
                             .prefix = kPrefix};
  build_request.lock->python = "3.12";
  build_request.lock->platform = "linux-x86_64";
  const ToolOptions tools{
      .cache_dir = files / "cache", .search_path = "/nowhere", .environment = {}};
  const auto done = Execute(build_request, {}, store, tools, nullptr, {});
  ASSERT_TRUE(done) << done.error().message;
  const auto found =
      MakeArchivesBuilder({.tools = tools, .private_urls = {}, .store = store, .prefix = kPrefix})
          ->Find(*build_request.lock, {});
  ASSERT_TRUE(found);
  EXPECT_TRUE(*found);
}

TEST(BuildRequest, WithoutPrefixStoresOnlyTheLock) {
  test::FakeClock clock;
  test::MemoryStore store(clock);
  const test::TempTree files;
  const Lock lock = SampleLock();
  ASSERT_TRUE(StoreLock(store, lock, {}));
  const auto before = store.Objects().size();
  const ToolOptions tools{
      .cache_dir = files / "cache", .search_path = "/nowhere", .environment = {}};
  const BuildRequest build_request{.manifest = RequestedManifest(),
                                   .lock = std::nullopt,
                                   .base_digest = {},
                                   .renew = false,
                                   .prefix = ""};
  const auto done = Execute(build_request, {}, store, tools, nullptr, {});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(store.Objects().size(), before);
}

}  // namespace
}  // namespace kinetic::env
