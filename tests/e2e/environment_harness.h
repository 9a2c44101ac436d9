#pragma once

#include "kinetic/observer.h"

#include "base/files/file_system.h"
#include "env/dependencies/manifest.h"
#include "env/python/interpreter.h"
#include "env/resolve/resolver.h"
#include "env/tool_options.h"
#include "env/virtualenv/builder.h"
#include "env/virtualenv/seal.h"
#include "store/object_store.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

inline const std::string kPrefix = "/opt/kinetic/environment";

/// Collects all events.
class Lines final : public Observer {
 public:
  void OnOutput(Phase, std::string_view line) override {
    const std::lock_guard lock(mutex_);
    all += std::string(line) + "\n";
  }
  std::string all;

 private:
  std::mutex mutex_;
};

/// Requests a stop at the first output of an installer.
class Stopper final : public Observer {
 public:
  explicit Stopper(std::stop_source& source) : source_(source) {}
  void OnOutput(Phase, std::string_view) override { source_.request_stop(); }

 private:
  std::stop_source& source_;
};

/// Real uv, real packages from the network, and the test's own cache.
class EnvironmentTest : public ::testing::Test {
 protected:
  void SetUp() override;

  /// Removes the folders with uv from the search path.
  void RemoveUv();

  bool Works(std::vector<std::string> argv) { return Output(std::move(argv)).has_value(); }
  /// Returns the output of a program; fails the test if the program fails.
  std::optional<std::string> Output(std::vector<std::string> argv);

  /// Returns the manifest of a requirements file for this machine.
  Manifest Read(const std::string& requirements);
  /// Returns the manifest for a pod with Python 3.12.
  Manifest ReadForPod(const std::string& requirements, const std::string& accelerator = "cpu");

  Result<ObtainedLock> Obtain(const Manifest& manifest);
  Result<ReadyEnvironment> Ensure(const Lock& lock, const PrivateUrls& urls = {});
  /// Returns the contents of the kept logs.
  std::vector<std::string> Logs() const;

  test::TempTree tree_;
  ToolOptions tools_;
  std::unique_ptr<store::Store> store_;
  Interpreter python_;
  Lines lines_;

 private:
  Manifest ReadWith(const std::string& requirements, ManifestOptions options);
};

/// A package index with password, as its own process.
class PrivateIndexTest : public EnvironmentTest {
 protected:
  void SetUp() override;
  void TearDown() override;

  FILE* output_ = nullptr;
  UniqueFd input_;
  std::string host_;
};

}  // namespace kinetic::env
