#pragma once

#include "kinetic/result.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::inline v0 {

/// One package of a lock.
struct LockedPackage {
  std::string name;                 ///< normalized (PEP 503)
  std::string version;              ///< or a URL
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

/// A package of a lock and what requires it: `kinetic env why`.
struct PackageOrigin {
  std::string name;                      ///< normalized (PEP 503)
  std::string version;                   ///< or a URL
  std::string index;                     ///< URL without credentials; empty: unknown
  std::vector<std::string> required_by;  ///< packages of the lock
  std::string requirement;  ///< "requirements.txt:3: numpy>=2"; empty: no dependency file lists it
};

/// An environment cached on this machine: `kinetic env ls`.
struct EnvironmentSummary {
  std::string id;      ///< environment id, 64 hex digits
  std::string python;  ///< full version: "3.12.1"
  std::uint64_t packages = 0;
  std::uint64_t size_bytes = 0;    ///< with its package sets
  std::uint64_t shared_bytes = 0;  ///< of package sets that other environments also use
  std::chrono::system_clock::time_point built_at;
  std::chrono::system_clock::time_point last_used;
  std::filesystem::path location;
  std::vector<std::string> jobs;  ///< distinct names of jobs that ran in it, newest first
  std::string damage = {};  ///< why its next use builds it again, as far as is visible at once
};

/// A package image: `kinetic image ls`.
struct EnvironmentImage {
  std::string reference;    ///< "registry/name:tag@sha256:…"
  std::string tag;          ///< "tpu-64ec09b4f5ed"
  std::string key;          ///< of its inputs, 64 hex digits
  std::string base;         ///< the base image: "python:3.12-slim"
  std::string base_digest;  ///< "sha256:…" of the base image at build time
  std::string python;       ///< "3.12"
  std::uint64_t packages = 0;
  std::uint64_t size_bytes = 0;  ///< of all compressed layers
  bool built = false;            ///< built by this call
};

/// The inputs and the state of an environment: `kinetic env explain`.
struct EnvironmentExplanation {
  std::string manifest_key;
  std::vector<std::pair<std::string, std::string>> inputs;  ///< name and value, in the order hashed
  std::optional<EnvironmentLock> lock;                      ///< absent: not resolved yet
  bool built = false;
  std::filesystem::path location;  ///< of the virtual environment in jobs
  std::string tree;                ///< that pods unpack, 64 hex digits; empty: on this machine
  std::string image;               ///< that contains it: "registry/name:tag@sha256:…"; may be empty
  /// Inputs that differ from the last job of that name: name, old value, new value.
  struct Change {
    std::string input, before, now;
  };
  std::string since;  ///< the job compared with; empty: none
  std::vector<Change> changes;
};

}  // namespace kinetic::inline v0
