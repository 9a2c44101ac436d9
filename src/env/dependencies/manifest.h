#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "env/lock.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::env {

/// Version of what kinetic adds to environments, part of manifest keys.
inline constexpr std::string_view kTemplateVersion = "1";

struct ManifestOptions {
  DependencySpec spec;
  Path search_start;                ///< where the search starts if the spec names no file
  Path search_root;                 ///< where the search upward ends: the bundle's root
  std::optional<Path> script;       ///< the function's module or the program, for PEP 723 metadata
  std::string python;               ///< "3.12"
  std::string platform;             ///< "linux-x86_64"
  std::string accelerator = "cpu";  ///< category: "cpu", "gpu", "tpu"
  std::string base_image;           ///< as written; empty on targets without images
  /// Resolves for a pod: `platform` and `python` may differ from this machine's, only wheels are
  /// accepted, and packages get the accelerator's extras.
  bool for_pod = false;
  /// The caller's: index URLs, and the values of `${NAME}` in requirements files.
  std::map<std::string, std::string> environment;
};

/// The kind of file that a manifest is read from.
enum class ManifestKind : std::uint8_t { kNone, kScript, kUvLock, kRequirements, kPyproject };

/// Returns the display name: "requirements.txt", "uv.lock", ….
std::string_view Name(ManifestKind kind);

/// A job's dependencies in canonical form, independent of comments, order, case and line endings.
struct Manifest {
  ManifestKind kind = ManifestKind::kNone;
  Path source;  ///< the file it was read from; empty for kNone
  std::string python;
  std::string platform;
  std::string accelerator;
  std::string base_image;
  bool for_pod = false;  ///< ManifestOptions::for_pod
  IndexSettings index;
  std::vector<std::string> extras;        ///< normalized, sorted
  std::vector<std::string> groups;        ///< normalized, sorted
  std::vector<std::string> requirements;  ///< PEP 508 and " --hash=…", sorted, without credentials
  std::vector<std::string> constraints;   ///< in the same form
  /// The lock that the file itself contains: uv.lock, or requirements all pinned and hashed.
  std::optional<Lock> embedded_lock;
  PrivateUrls private_urls;           ///< not part of the key
  std::vector<std::string> warnings;  ///< files and settings that were found but not used

  /// Returns whether there are no dependencies besides Python.
  bool Empty() const { return requirements.empty(); }
  /// Returns name and value of each input of the key, in hash order: `kinetic env explain`.
  std::vector<std::pair<std::string, std::string>> Inputs() const;
  /// Returns the manifest key: a hash of Inputs().
  Digest Key() const;
};

/// Finds and reads a job's dependencies, in the order of docs/reference/environments.md: the
/// spec's file, else the script's metadata, else the nearest parent folder with uv.lock and
/// pyproject.toml, requirements.txt, or a pyproject.toml with a [project] table.
///
/// @errors  kInvalidArgument (the file: "requirements.txt:3:7: …", one line for each error; a
///          Python that requires-python excludes; for a pod: packages without wheels) ·
///          kNotFound (the spec's file) · those of reading.
/// @threads safe to call concurrently.
/// @source  https://packaging.python.org/en/latest/specifications/ ;
///          https://pip.pypa.io/en/stable/reference/requirements-file-format/
Result<Manifest> ReadManifest(FileSystem& fs, const ManifestOptions& options);

}  // namespace kinetic::env
