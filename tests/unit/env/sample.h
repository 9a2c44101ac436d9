#pragma once

#include "kinetic/observer.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

inline const std::string kHash = "sha256:" + std::string(64, 'a');
inline constexpr const char* kPrefix = "/opt/kinetic/environment";

/// Records the output of builds, and all warnings.
class RecordingObserver final : public Observer {
 public:
  void OnOutput(Phase phase, std::string_view line) override {
    EXPECT_EQ(phase, Phase::kBuild);
    lines.emplace_back(line);
    if (on_line) on_line();
  }
  void OnWarning(std::string_view message) override { warnings.emplace_back(message); }

  std::vector<std::string> lines;
  std::vector<std::string> warnings;
  std::function<void()> on_line;
};

}  // namespace kinetic::env
