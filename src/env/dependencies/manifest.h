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
inline constexpr std::string_view kTemplateVersion = "2";

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
  /// accepted, and jax gets the accelerator's extra.
  bool for_pod = false;
  UrlVariables variables;  ///< the caller's: index URLs, and the values of `${NAME}`
};

/// The kind of file that a manifest is read from.
enum class ManifestKind : std::uint8_t {
  kNone,
  kScript,
  kUvLock,
  kPylock,
  kRequirements,
  kPyproject,
  kSetup
};

/// Returns the display name: "requirements.txt", "uv.lock", ….
std::string_view Name(ManifestKind kind);

/// A dependency file that was read.
struct DependencyFile {
  Path path;
  std::string text;  ///< UTF-8
};

/// A job's dependencies, as uv reads them from files. Lines contain no credentials, and do not
/// depend on comments, line endings, or unrelated settings.
struct Manifest {
  ManifestKind kind = ManifestKind::kNone;
  Path source;  ///< the file it was read from; empty for kNone
  Path member;  ///< the folder of a member of a workspace, if `source` is the workspace's uv.lock
  std::string python;
  std::string platform;
  std::string accelerator;
  std::string base_image;
  bool for_pod = false;             ///< ManifestOptions::for_pod
  IndexSettings index;              ///< of the files, or of the caller's environment
  IndexSettings caller_index;       ///< of the environment, which uv does not find in the files
  std::vector<std::string> extras;  ///< normalized, sorted
  std::vector<std::string> groups;  ///< normalized, sorted
  std::vector<std::string> requirements;  ///< lines, in order; for a lock, its digest
  std::vector<std::string> constraints;   ///< lines of constraints files
  std::vector<std::string> settings;      ///< options, and settings of uv
  /// Pairs of a requirement and the same requirement with the accelerator's extra.
  std::vector<std::pair<std::string, std::string>> added;
  /// The hashes in a requirements file by package, "sha256:…".
  std::map<std::string, std::vector<std::string>> hashes;
  bool require_hashes = false;        ///< `--require-hashes`: each package must be in `hashes`
  bool is_lock = false;               ///< the file itself specifies each package exactly
  std::vector<Path> folders;          ///< of projects whose content is part of the key
  std::vector<std::string> built;     ///< packages from repositories and folders, as far as known
  std::vector<DependencyFile> files;  ///< for positions in messages
  PrivateUrls private_urls;           ///< not part of the key
  std::vector<std::string> warnings;  ///< files and settings that were found but not used

  /// Returns the folder that paths are relative to, and that uv runs in.
  Path Folder() const { return member.empty() ? source.parent_path() : member; }
  /// Returns whether uv exports the packages for all platforms, from a lock or a script.
  bool IsExported() const { return kind == ManifestKind::kUvLock || kind == ManifestKind::kScript; }
  /// Returns whether there are no dependencies besides Python.
  bool Empty() const { return requirements.empty(); }
  /// Returns name and value of each input of the key, in hash order: `kinetic env explain`.
  std::vector<std::pair<std::string, std::string>> Inputs() const;
  /// Returns the manifest key: a hash of Inputs().
  Digest Key() const;
  /// Returns the first line that names a package, such as "requirements.txt:3", or the file.
  std::string PositionOf(std::string_view package) const;
};

/// Finds and reads a job's dependencies, in the order of docs/reference/environments.md: the spec's
/// file, else the script's metadata, else the nearest parent folder with a project and its uv.lock
/// or that of its workspace, pylock.toml, requirements.txt, a pyproject.toml with a [project] table,
/// or setup.py. Only uv validates the requirements.
///
/// @errors  kInvalidArgument (invalid TOML; a variable that is not permitted; a Python that
///          requires-python excludes) · kNotFound (a file) · those of reading.
/// @threads safe to call concurrently.
Result<Manifest> ReadManifest(FileSystem& fs, const ManifestOptions& options);

}  // namespace kinetic::env
