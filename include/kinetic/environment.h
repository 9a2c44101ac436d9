#pragma once

#include "kinetic/result.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic {

/// One package of a lock.
struct LockedPackage {
  std::string name;                 ///< normalised as PEP 503 says
  std::string version;              ///< or a URL for what is installed from one
  std::vector<std::string> hashes;  ///< "sha256:…"
};

/// A resolved set of packages.
struct EnvironmentLock {
  std::string manifest_key;             ///< 64 hex digits
  std::string id;                       ///< environment id, 64 hex digits
  std::string python;                   ///< "3.12"
  std::vector<LockedPackage> packages;  ///< by name
  std::chrono::system_clock::time_point resolved_at;
  bool from_cache = false;  ///< found in the store, not resolved now
};

/// An environment that is kept on this machine: `kinetic env ls`.
struct EnvironmentSummary {
  std::string id;      ///< environment id, 64 hex digits
  std::string python;  ///< the version it was made with: "3.12.1"
  std::uint64_t packages = 0;
  std::uint64_t size_bytes = 0;
  std::chrono::system_clock::time_point built_at;
  std::chrono::system_clock::time_point last_used;
  std::filesystem::path location;
  std::vector<std::string> jobs;  ///< names of the jobs that ran in it, the newest first, each once
};

/// An image that was made for the packages of jobs: `kinetic image ls`.
struct EnvironmentImage {
  std::string reference;    ///< "registry/name:tag@sha256:…"
  std::string tag;          ///< "tpu-64ec09b4f5ed"
  std::string key;          ///< of what it was made from, 64 hex digits
  std::string base;         ///< the image below: "python:3.12-slim"
  std::string base_digest;  ///< "sha256:…", which that was when this was made
  std::string python;       ///< "3.12"
  std::uint64_t packages = 0;
  std::uint64_t size_bytes = 0;  ///< of its compressed layers, those of the base included
  bool built = false;            ///< by this call, not found
};

/// Why an environment is what it is: `kinetic env explain`.
struct EnvironmentExplanation {
  std::string manifest_key;
  std::vector<std::pair<std::string, std::string>> inputs;  ///< name and value, in the order hashed
  std::optional<EnvironmentLock> lock;                      ///< absent: not resolved yet
  bool built = false;
  std::filesystem::path location;  ///< of the virtual environment, where jobs find it
  std::string tree;   ///< what pods unpack there, 64 hex digits; empty: it is on this machine
  std::string image;  ///< that holds it: "registry/name:tag@sha256:…"; empty: none does
  /// Inputs that differ from the last job of that name: name, old value, new value.
  struct Change {
    std::string input, before, now;
  };
  std::string since;  ///< the job compared with; empty: there is none
  std::vector<Change> changes;
};

}  // namespace kinetic
