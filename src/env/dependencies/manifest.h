#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "env/resolve/lock.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::env {

/// Changes when what kinetic itself puts into environments changes.
inline constexpr std::string_view kTemplateVersion = "1";

struct ManifestOptions {
  DependencySpec spec;
  Path directory;              ///< lookup begins here when the spec names no file
  Path bound;                  ///< and goes up to this folder, the bundle's root
  std::optional<Path> script;  ///< the function's module or the program: may hold PEP 723 metadata
  std::string python;          ///< "3.12"
  std::string platform;        ///< "linux-x86_64"
  std::string accelerator = "cpu";  ///< category: "cpu", "gpu", "tpu"
  std::string base_image;           ///< as written; empty on targets without images
  /// Resolved for a pod, not for this machine: `platform` and `python` may be any that pods have,
  /// wheels alone count, and packages get the extras that the accelerator wants.
  bool for_pod = false;
  /// The caller's: index URLs, and the values of `${NAME}` in requirements files.
  std::map<std::string, std::string> environment;
};

/// Where a manifest comes from.
enum class ManifestKind : std::uint8_t { kNone, kScript, kUvLock, kRequirements, kPyproject };

/// "requirements.txt", "uv.lock", …: for people.
std::string_view Name(ManifestKind kind);

/// What a job depends on, in canonical form: comments, order, case and line endings do not count.
struct Manifest {
  ManifestKind kind = ManifestKind::kNone;
  Path source;  ///< the file it was read from; empty for kNone
  std::string python;
  std::string platform;
  std::string accelerator;
  std::string base_image;
  bool for_pod = false;  ///< ManifestOptions::for_pod
  IndexSettings index;
  std::vector<std::string> extras;        ///< normalised, sorted
  std::vector<std::string> groups;        ///< normalised, sorted
  std::vector<std::string> requirements;  ///< PEP 508 and " --hash=…", sorted, without credentials
  std::vector<std::string> constraints;   ///< the same
  /// The lock that the file is itself: uv.lock, or requirements that are all pinned and hashed.
  std::optional<Lock> own_lock;
  PrivateUrls private_urls;           ///< not part of the key
  std::vector<std::string> warnings;  ///< for people: what was found and is not used

  /// Whether nothing but Python is asked for.
  bool Empty() const { return requirements.empty(); }
  /// Name and value of everything the key is made of, in the order hashed: `kinetic env explain`.
  std::vector<std::pair<std::string, std::string>> Inputs() const;
  /// The manifest key: a hash of Inputs().
  Digest Key() const;
};

/// Finds and reads what the job depends on. The order is that of docs/reference/environments.md: the
/// spec's file, else the script's own metadata, else the nearest folder upward with uv.lock beside
/// pyproject.toml, requirements.txt, or a pyproject.toml with a [project] table.
///
/// @errors  kInvalidArgument (the file: "requirements.txt:3:7: …", one line for each error; a
///          Python that requires-python excludes; for a pod: packages that must be built) ·
///          kNotFound (the spec's file) · those of reading.
/// @threads safe to call concurrently.
/// @source  https://packaging.python.org/en/latest/specifications/ ;
///          https://pip.pypa.io/en/stable/reference/requirements-file-format/
Result<Manifest> ReadManifest(FileSystem& fs, const ManifestOptions& options);

}  // namespace kinetic::env
