#pragma once

#include "kinetic/bundle.h"
#include "kinetic/job.h"
#include "kinetic/observer.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::inline v0 {

struct CompareOptions {
  bool lines = false;  ///< set JobDifference::File::lines, which reads the content of changed files
};

/// The differences between two jobs of a store.
struct JobDifference {
  /// A property, an argument or a package, and its values; empty: absent.
  struct Property {
    std::string name, before, now;
  };
  /// A file of the code. The size is 0 where the file does not exist.
  struct File {
    BundleChange::Kind kind = BundleChange::Kind::kModified;
    std::string path;
    std::uint64_t bytes_before = 0;
    std::uint64_t bytes_now = 0;
    /// The changed lines of a text file as a unified diff, if CompareOptions requests them. Empty:
    /// the content is not text, too large, or the same.
    std::string lines = {};
  };
  /// An environment variable, secret or data source, without its content.
  struct Item {
    BundleChange::Kind kind = BundleChange::Kind::kModified;
    std::string name;
  };
  /// The duration of a phase over all attempts; absent: not recorded.
  struct Duration {
    Phase phase = Phase::kRun;
    std::optional<std::chrono::nanoseconds> before, now;
  };

  std::string before;                ///< job ID
  std::string now;                   ///< job ID
  bool is_rerun = false;             ///< `now` was submitted as a rerun of `before`
  std::vector<Property> properties;  ///< keys of the job file, and what they resolved to
  std::vector<File> code;            ///< by path
  std::vector<Property> packages;    ///< versions or URLs, by name
  /// Why `packages` is empty although the environments differ: a lock was replaced. Empty
  /// otherwise.
  std::string packages_unknown;
  std::vector<Property> arguments;  ///< values as JSON
  std::vector<Item> variables;
  std::vector<Item> secrets;  ///< added or removed
  std::vector<Item> data;
  std::vector<Duration> durations;  ///< of all phases that one of the jobs has recorded
  JobState state_before = JobState::kPending;
  JobState state_now = JobState::kPending;

  /// Returns whether the jobs differ in nothing but their states and durations.
  bool IsSameJob() const {
    return properties.empty() && code.empty() && packages.empty() && packages_unknown.empty() &&
           arguments.empty() && variables.empty() && secrets.empty() && data.empty();
  }
};

}  // namespace kinetic::inline v0
