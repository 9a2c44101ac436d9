#pragma once

#include "kinetic/cloud.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

/// The files that the local target shares with its supervisors: docs/reference/local.md.
///
///   {state_dir}/queue/{ticket}      one file per job that waits or runs, locked by its supervisor
///   {state_dir}/shim/{digest}/      the shim and what Python compiled from it, for all jobs
///   {state_dir}/programs/{tree}/    the program of a C++ function, for all jobs that call it
///   {state_dir}/jobs/{id}/          the runtime directory, 0700; removed after collection
///     lock                          locked (flock) by the supervisor while it runs
///     supervisor.json               pid, its start time, boot id, the job's nonce
///     status.json                   record::AttemptStatus, replaced atomically
///     pulse                         steady time of the supervisor's last sign of life
///     starting                      locked by the client that starts the supervisor, then by the
///                                   supervisor until supervisor.json exists; not empty once locked
///     store                         the location of the job's store
///     outcome.json                  record::StoredOutcome without its value, at the end
///     finished                      created by the supervisor when it no longer uses the folder
///     *.reserve                     disk space for status.json and outcome.json on a full disk
///     cancel                        created by a client to cancel the job
///     spool/{first sequence}.klog   plain log segments; the last one grows
///     work/ home/ tmp/ output/      the job's own folders; created again for each attempt
///     venv/                         virtual environment over the job's packages, for each attempt
///     exchange/                     arguments with their large arrays, and value
///     data/                         datasets for the absolute paths of `data:`
///     layers/                       for data that is read in place: what overlay mounts need
///     checkpoints/                  the job's checkpoint; restored for each attempt
///     checkpoints.cache             stat cache of the checkpoint
///     compiled/                     XLA's compilation cache
///     downloads/                    in a pod: models and datasets that the program downloads
///     supervisor.log                diagnostics of the supervisor, for bug reports
namespace kinetic::local {

Path JobsFolder(const Path& state_dir);
Path QueueFolder(const Path& state_dir);
Path ShimsFolder(const Path& state_dir);
Path ProgramsFolder(const Path& state_dir);
/// Contains one file for each unfinished upload session to a bucket. The sessions are secrets.
Path UploadsFolder(const Path& state_dir);

/// The paths in one runtime directory.
struct Runtime {
  Path folder;

  Path Lock() const { return folder / "lock"; }
  Path Supervisor() const { return folder / "supervisor.json"; }
  Path StatusFile() const { return folder / "status.json"; }
  Path PulseFile() const { return folder / "pulse"; }
  Path Starting() const { return folder / "starting"; }
  Path StoreFile() const { return folder / "store"; }
  Path OutcomeFile() const { return folder / "outcome.json"; }
  Path Finished() const { return folder / "finished"; }
  Path CancelRequest() const { return folder / "cancel"; }
  Path Spool() const { return folder / "spool"; }
  Path Work() const { return folder / "work"; }
  Path Home() const { return folder / "home"; }
  Path Temporary() const { return folder / "tmp"; }
  Path Output() const { return folder / "output"; }
  Path VirtualEnvironment() const { return folder / "venv"; }
  Path Exchange() const { return folder / "exchange"; }
  /// Returns the file of an array to which the arguments refer.
  Path Array(const Digest& content) const { return Exchange() / "arrays" / content.Hex(); }
  Path Data() const { return folder / "data"; }
  Path Layers() const { return folder / "layers"; }
  Path Checkpoints() const { return folder / "checkpoints"; }
  Path Compiled() const { return folder / "compiled"; }
  Path Downloads() const { return folder / "downloads"; }
  Path Diagnostics() const { return folder / "supervisor.log"; }
};

Runtime RuntimeOf(const Path& state_dir, std::string_view id);

/// Returns spool/{first sequence, 12 digits}.klog.
Path SpoolSegment(const Path& spool, std::uint64_t first_sequence);
/// Returns the first sequence number from the name of a spool file, or nullopt for other files.
std::optional<std::uint64_t> ParseSpoolSegment(std::string_view file_name);

/// Identifies the supervisor of a runtime directory.
struct SupervisorIdentity {
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;  ///< field 22 of /proc/PID/stat
  std::string boot_id;
  std::string nonce;
};

std::string ToJson(const SupervisorIdentity& identity);
Result<SupervisorIdentity> SupervisorIdentityFromJson(std::string_view json);

/// Returns the time since this machine was booted, including the time that it slept.
std::chrono::seconds TimeSinceBoot();

/// A file or folder on this machine whose content a client has stored.
struct StoredSource {
  Path folder;       ///< absolute, without symbolic links
  std::string file;  ///< the name of its only file that is stored; empty: the folder is stored
  Path stat_cache;   ///< has the digests of its files: bundle/write/stat_cache.h
  bool operator==(const StoredSource&) const = default;
};

/// The client's message to the supervisor, sent once through the pipe to its standard input.
/// Nothing else transports the values of secrets.
struct LaunchRequest {
  std::string job_id;
  std::string record_sha256;  ///< 64 hex digits; the record is jobs/{id}/record.json
  /// The content of that object if the client has just created it. The job then has no result, and
  /// the client has checked the store. Empty: the supervisor reads the store.
  std::string record;
  bool store_record = false;  ///< the supervisor stores `record` before it is ready
  std::chrono::seconds made = TimeSinceBoot();  ///< when the content of the job was confirmed
  std::string store;                            ///< a location for store::Open
  Path state_dir;
  Path python;              ///< the interpreter of a function without an environment; may be empty
  Path environment_root;    ///< the environment with the job's packages; empty without one
  std::string search_path;  ///< PATH of the job, after the environment's bin
  std::uint32_t concurrency = 1;
  Path data_cache;  ///< as in LocalTargetOptions; may be empty
  Path job_cache;   ///< as in LocalTargetOptions; may be empty
  /// Where bundle and data come from, by path in the job; that of the bundle is "".
  std::map<std::string, StoredSource> sources;
  std::map<std::string, std::string> secrets;  ///< by name
  CloudOptions cloud;                          ///< for a store in a bucket
};

std::string ToJson(const LaunchRequest& request);
Result<LaunchRequest> LaunchRequestFromJson(std::string_view json);

/// The content of `starting`.
inline constexpr std::string_view kStartingMark = "locked\n";

/// The descriptor of `starting` that a supervisor inherits, if its client has locked the file.
inline constexpr int kStartingFd = 3;

/// The supervisor's reply on its standard output, after it has taken the lock and written
/// status.json.
inline constexpr std::string_view kSupervisorReady = "ready\n";

}  // namespace kinetic::local
