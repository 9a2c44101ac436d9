#pragma once

#include "base/hash/digest.h"
#include "base/time/clock.h"
#include "record/run_key.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The names of the objects in a store, format 1: docs/reference/store.md. No other code constructs
/// them, except that of format.json, which the store itself writes (store/object.h).
namespace kinetic::record {

inline constexpr std::string_view kPackPrefix = "packs/";
inline constexpr std::string_view kTreePrefix = "trees/";
inline constexpr std::string_view kDataPrefix = "data/";
inline constexpr std::string_view kLockPrefix = "locks/";
inline constexpr std::string_view kPackagePrefix = "packages/";
inline constexpr std::string_view kEnvironmentPrefix = "environments/";
inline constexpr std::string_view kLayerPrefix = "layers/";
inline constexpr std::string_view kImagePrefix = "images/";
inline constexpr std::string_view kBuildPrefix = "builds/";
inline constexpr std::string_view kImageLeasePrefix = "leases/";
inline constexpr std::string_view kCompiledPrefix = "compiled/";
inline constexpr std::string_view kDownloadPrefix = "downloads/";
inline constexpr std::string_view kIndexPrefix = "index/";
inline constexpr std::string_view kJobPrefix = "jobs/";
inline constexpr std::string_view kArrayPrefix = "arrays/";
inline constexpr std::string_view kOutputPrefix = "outputs/";
inline constexpr std::string_view kCheckpointPrefix = "checkpoints/";

std::string PackName(const Digest& stored_bytes);  ///< packs/{sha256 of the stored bytes}
std::string TreeName(const Digest& tree);          ///< trees/{digest}
std::string DataSetName(std::string_view name);    ///< data/{name}
std::string LockName(const Digest& manifest_key);
std::string PackageName(const Digest& key);      ///< packages/{key}: one installed package
std::string EnvironmentName(const Digest& key);  ///< environments/{key}: all packages of a lock

std::string LayerName(const Digest& key);  ///< layers/{key}: one layer of images
/// images/{sha256 of "registry/name:tag"}: an image that a client of this store built
std::string ImageRecordName(std::string_view image);
std::string ImageLeaseName(const Digest& key);  ///< leases/{key}: held while an image is built
/// compiled/{key}/: XLA's compilation cache for jobs of one user and environment
std::string CompiledFolder(const Digest& key);
/// downloads/{sha256 of owner and job name}/: the files that jobs of one user and name download
std::string DownloadFolder(std::string_view owner, std::string_view job_name);
/// downloads/{…}/manifest.json: lists the files (record/downloads.h)
std::string DownloadManifestName(std::string_view folder);
/// downloads/{…}/{sha256}: the content of files
std::string DownloadName(std::string_view folder, const Digest& content);

/// builds/{sha256 of the archive}.tar.gz: the source of an image build
std::string BuildSourceName(const Digest& archive);
/// builds/logs: the logs of image builds
inline constexpr std::string_view kBuildLogFolder = "builds/logs";
/// builds/logs/log-{id}.txt: a name chosen by Cloud Build
std::string BuildLogName(std::string_view build);

/// index/{inverted time}-{id}: listings return the newest job first
std::string IndexName(WallTime created, std::string_view id);
/// index/{inverted time}-{id}.ended: the entry of a job that has ended
std::string EndedIndexName(WallTime created, std::string_view id);

/// Where a job's ID is expected below, that of a task (record/task_id.h) names the task's objects,
/// which are in a folder of the job. Record, arguments and listings are always the job's.
std::string JobFolder(std::string_view id);   ///< jobs/{id}/
std::string RecordName(std::string_view id);  ///< jobs/{id}/record.json
/// jobs/{id}/tasks/: the objects of the tasks of an array
std::string TasksFolder(std::string_view id);
/// jobs/{id}/ended/: one empty object for each task that has ended (record/ended_task.h)
std::string EndedTaskFolder(std::string_view id);
std::string EndedTaskName(std::string_view id, std::uint32_t task);  ///< …/{task, 6 digits}
/// jobs/{id}/arguments/{nonce of the record}: not shared by two submissions of one id
std::string ArgumentsName(std::string_view id, std::string_view nonce);
/// jobs/{id}/arguments/{nonce of the record}-{sha256 of the content}: an array in the arguments
std::string ArgumentArrayName(std::string_view id, std::string_view nonce, const Digest& content);
std::string SharedArrayName(const Digest& content);  ///< arrays/{sha256}: stored by Client::Put
/// jobs/{id}/data/{nonce of the record}/{sha256 of the listing}
std::string DataListingName(std::string_view id, std::string_view nonce, const Digest& listing);
std::string ResultName(std::string_view id);  ///< jobs/{id}/result.json
/// Returns the job to whose folder, checkpoints, or outputs an object belongs; empty: to none
std::string JobOfObject(std::string_view name);
/// jobs/{id}/next-job.json: exists while one Kubernetes Job replaces another
std::string NextJobName(std::string_view id);
/// jobs/{id}/following: renewed by clients that follow the log from the store
std::string FollowMarkerName(std::string_view id);
/// jobs/{id}/copying: renewed by clients that have stored a copy request
std::string CopyMarkerName(std::string_view id);
/// jobs/{id}/copies/: the requests to copy files to and from a running job, and their responses
std::string CopiesFolder(std::string_view id);
std::string CopyRequestFolder(std::string_view id);  ///< jobs/{id}/copies/requests/
std::string CopyRequestName(std::string_view id, std::string_view request);
/// jobs/{id}/copies/{request}/: what the client and the runner exchange for one request
std::string CopyFolder(std::string_view id, std::string_view request);
std::string CopyProgressName(std::string_view id, std::string_view request);
std::string CopyAnswerName(std::string_view id, std::string_view request);
/// jobs/{id}/copies/{request}/files/: named like output files
std::string CopiedFilesFolder(std::string_view id, std::string_view request);
/// jobs/{id}/heartbeat: renewed by the supervisor of a local target's job
std::string HeartbeatName(std::string_view id);
std::string AttemptsFolder(std::string_view id);                    ///< jobs/{id}/attempts/
std::string ClaimName(std::string_view id, std::uint32_t attempt);  ///< …/{attempt}/claim
std::string RunResultName(const RunKey& run);  ///< …/{attempt}/{host}/result.json
std::string ValueName(const RunKey& run);      ///< …/{attempt}/{host}/value.json
/// …/{attempt}/{host}/log/{first sequence, 12 digits}
std::string LogSegmentName(const RunKey& run, std::uint64_t first_sequence);
/// …/{attempt}/{host}/values/{sha256}: an array or bytes, referred to by value.json
std::string StoredValueName(const RunKey& run, const Digest& content);

/// The name of an object of a run.
struct RunObject {
  RunKey run;
  std::string_view file;  ///< its name in the folder of the run: "result.json"
};
/// Parses what the functions above construct; nullopt: another name. `file` refers to `name`.
std::optional<RunObject> ParseRunObject(std::string_view name);
std::string OutputName(std::string_view id, std::string_view path);
std::string CheckpointFolder(std::string_view id);  ///< checkpoints/{id}/
/// checkpoints/{id}/{sequence, 12 digits}
std::string CheckpointName(std::string_view id, std::uint64_t sequence);

}  // namespace kinetic::record
