#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <optional>
#include <string>
#include <string_view>

/// What the local target and the supervisor agree on: docs/reference/local.md.
///
///   {state_dir}/queue/{ticket}      one file per job that waits or runs, locked by its supervisor
///   {state_dir}/jobs/{id}/          the runtime folder, 0700, removed when the job has been
///   collected
///     lock                          locked (flock) by the supervisor for as long as it lives
///     supervisor.json               pid, its start time, boot id, the job's nonce
///     status.json                   record::AttemptStatus, replaced atomically: watch the folder
///     starting                      locked by a client for as long as it starts the supervisor
///     store                         where the store is that the job's outcome goes to
///     outcome.json                  record::StoredOutcome without its value, once it is known
///     cancel                        made by a client that wants the job cancelled
///     spool/{first sequence}.klog   plain log segments; the last one grows
///     work/ home/ tmp/ output/      the job's own folders; made anew for each attempt
///     exchange/                     arguments in, value out, and the shim between them
///     data/                         what `data:` lays down at absolute paths
///     checkpoints/                  the job's own; restored for each attempt
///     checkpoints.cache             what is known of its files
///     supervisor.log                diagnostics of the supervisor, for bug reports
namespace kinetic::local {

Path JobsFolder(const Path& state_dir);
Path QueueFolder(const Path& state_dir);
/// Sessions of uploads to a bucket that are under way, one file each: secrets.
Path UploadsFolder(const Path& state_dir);

/// The places in one runtime folder.
struct Runtime {
  Path folder;

  Path Lock() const { return folder / "lock"; }
  Path Supervisor() const { return folder / "supervisor.json"; }
  Path StatusFile() const { return folder / "status.json"; }
  Path Starting() const { return folder / "starting"; }
  Path StoreFile() const { return folder / "store"; }
  Path OutcomeFile() const { return folder / "outcome.json"; }
  Path CancelRequest() const { return folder / "cancel"; }
  Path Spool() const { return folder / "spool"; }
  Path Work() const { return folder / "work"; }
  Path Home() const { return folder / "home"; }
  Path Temporary() const { return folder / "tmp"; }
  Path Output() const { return folder / "output"; }
  Path Exchange() const { return folder / "exchange"; }
  Path Data() const { return folder / "data"; }
  Path Checkpoints() const { return folder / "checkpoints"; }
  Path Compiled() const { return folder / "compiled"; }
  Path Diagnostics() const { return folder / "supervisor.log"; }
};

Runtime RuntimeOf(const Path& state_dir, std::string_view id);

/// spool/{first sequence, 12 digits}.klog
Path SpoolSegment(const Path& spool, std::uint64_t first_sequence);
/// The first sequence number in the name of a spool file; nothing when it is none.
std::optional<std::uint64_t> ParseSpoolSegment(std::string_view file_name);

/// Who holds a runtime folder.
struct SupervisorIdentity {
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;  ///< field 22 of /proc/PID/stat
  std::string boot_id;
  std::string nonce;
};

std::string ToJson(const SupervisorIdentity& identity);
Result<SupervisorIdentity> SupervisorIdentityFromJson(std::string_view json);

}  // namespace kinetic::local
