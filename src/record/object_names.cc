#include "record/object_names.h"

#include "base/strings.h"
#include "base/time/clock.h"
#include "record/task_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace kinetic::record {
namespace {

/// The last time of sixteen digits, in the year 2286.
constexpr std::int64_t kLastIndexMicros = 9'999'999'999'999'999;

std::string InRun(const RunKey& run, std::string_view file) {
  return fmt::format("{}{}/{}/{}", AttemptsFolder(run.id), run.attempt, run.host, file);
}

/// Removes the first part of a path and its '/', and returns the part.
std::string_view TakePart(std::string_view& path) {
  const std::string_view part = path.substr(0, path.find('/'));
  path.remove_prefix(std::min(part.size() + 1, path.size()));
  return part;
}

std::optional<std::uint32_t> TakeNumber(std::string_view& path) {
  const auto number = ParseInt(TakePart(path));
  if (!number || *number < 0 || *number > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*number);
}

}  // namespace

std::string PackName(const Digest& stored_bytes) {
  return fmt::format("{}{}", kPackPrefix, stored_bytes.Hex());
}

std::string TreeName(const Digest& tree) { return fmt::format("{}{}", kTreePrefix, tree.Hex()); }

std::string DataSetName(std::string_view name) { return fmt::format("{}{}", kDataPrefix, name); }

std::string LockName(const Digest& manifest_key) {
  return fmt::format("{}{}", kLockPrefix, manifest_key.Hex());
}

std::string PackageName(const Digest& key) {
  return fmt::format("{}{}", kPackagePrefix, key.Hex());
}

std::string EnvironmentName(const Digest& key) {
  return fmt::format("{}{}", kEnvironmentPrefix, key.Hex());
}

std::string LayerName(const Digest& key) { return fmt::format("{}{}", kLayerPrefix, key.Hex()); }

std::string ImageRecordName(std::string_view image) {
  return fmt::format("{}{}", kImagePrefix, Sha256::Of(image).Hex());
}

std::string BuildSourceName(const Digest& archive) {
  return fmt::format("{}{}.tar.gz", kBuildPrefix, archive.Hex());
}

std::string BuildLogName(std::string_view build) {
  return fmt::format("{}/log-{}.txt", kBuildLogFolder, build);
}

std::string ImageLeaseName(const Digest& key) {
  return fmt::format("{}{}", kImageLeasePrefix, key.Hex());
}

std::string CompiledFolder(const Digest& key) {
  return fmt::format("{}{}/", kCompiledPrefix, key.Hex());
}

std::string DownloadFolder(std::string_view owner, std::string_view job_name) {
  return fmt::format("{}{}/", kDownloadPrefix,
                     Sha256::Of(fmt::format("{}\n{}", owner, job_name)).Hex());
}

std::string DownloadManifestName(std::string_view folder) {
  return fmt::format("{}manifest.json", folder);
}

std::string DownloadName(std::string_view folder, const Digest& content) {
  return fmt::format("{}{}", folder, content.Hex());
}

std::string IndexName(WallTime created, std::string_view id) {
  const std::int64_t micros = std::clamp<std::int64_t>(ToMicros(created), 0, kLastIndexMicros);
  return fmt::format("{}{:016}-{}", kIndexPrefix, kLastIndexMicros - micros, id);
}

std::string EndedIndexName(WallTime created, std::string_view id) {
  return IndexName(created, id) + ".ended";
}

std::string JobFolder(std::string_view id) { return fmt::format("{}{}/", kJobPrefix, id); }
std::string RecordName(std::string_view id) { return JobFolder(JobPart(id)) + "record.json"; }
std::string TasksFolder(std::string_view id) { return JobFolder(id) + "tasks/"; }
std::string EndedTaskFolder(std::string_view id) { return JobFolder(JobPart(id)) + "ended/"; }
std::string EndedTaskName(std::string_view id, std::uint32_t task) {
  return fmt::format("{}{:06}", EndedTaskFolder(id), task);
}
std::string ArgumentsName(std::string_view id, std::string_view nonce) {
  return fmt::format("{}arguments/{}", JobFolder(JobPart(id)), JobNonce(nonce));
}
std::string ArgumentArrayName(std::string_view id, std::string_view nonce, const Digest& content) {
  return fmt::format("{}-{}", ArgumentsName(id, nonce), content.Hex());
}

std::string SharedArrayName(const Digest& content) {
  return fmt::format("{}{}", kArrayPrefix, content.Hex());
}
std::string DataListingName(std::string_view id, std::string_view nonce, const Digest& listing) {
  return fmt::format("{}data/{}/{}", JobFolder(JobPart(id)), JobNonce(nonce), listing.Hex());
}
std::string JobOfObject(std::string_view name) {
  for (const std::string_view prefix : {kJobPrefix, kCheckpointPrefix, kOutputPrefix}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    return std::string(name.substr(0, name.find('/')));
  }
  return {};
}

std::string ResultName(std::string_view id) { return JobFolder(id) + "result.json"; }

std::string NextJobName(std::string_view id) { return JobFolder(id) + "next-job.json"; }

std::string FollowMarkerName(std::string_view id) { return JobFolder(id) + "following"; }

std::string CopyMarkerName(std::string_view id) { return JobFolder(id) + "copying"; }

std::string CopiesFolder(std::string_view id) { return JobFolder(id) + "copies/"; }

std::string CopyRequestFolder(std::string_view id) { return CopiesFolder(id) + "requests/"; }

std::string CopyRequestName(std::string_view id, std::string_view request) {
  return CopyRequestFolder(id).append(request);
}

std::string CopyFolder(std::string_view id, std::string_view request) {
  return fmt::format("{}{}/", CopiesFolder(id), request);
}

std::string CopyProgressName(std::string_view id, std::string_view request) {
  return CopyFolder(id, request) + "progress.json";
}

std::string CopyAnswerName(std::string_view id, std::string_view request) {
  return CopyFolder(id, request) + "answer.json";
}

std::string CopiedFilesFolder(std::string_view id, std::string_view request) {
  return CopyFolder(id, request) + "files/";
}

std::string HeartbeatName(std::string_view id) { return JobFolder(id) + "heartbeat"; }

std::string AttemptsFolder(std::string_view id) { return JobFolder(id) + "attempts/"; }

std::string ClaimName(std::string_view id, std::uint32_t attempt) {
  return fmt::format("{}{}/claim", AttemptsFolder(id), attempt);
}

std::string RunResultName(const RunKey& run) { return InRun(run, "result.json"); }

std::string ValueName(const RunKey& run) { return InRun(run, "value.json"); }

std::string LogSegmentName(const RunKey& run, std::uint64_t first_sequence) {
  return InRun(run, fmt::format("log/{:012}", first_sequence));
}

std::string StoredValueName(const RunKey& run, const Digest& content) {
  return InRun(run, "values/" + content.Hex());
}

std::optional<RunObject> ParseRunObject(std::string_view name) {
  if (!name.starts_with(kJobPrefix)) return std::nullopt;
  std::string_view path = name.substr(kJobPrefix.size());
  RunObject object;
  object.run.id = TakePart(path);
  std::string_view folder = TakePart(path);
  if (folder == "tasks") {
    const auto task = TakeNumber(path);
    if (!task) return std::nullopt;
    object.run.id = TaskId(object.run.id, *task);
    folder = TakePart(path);
  }
  if (folder != "attempts") return std::nullopt;
  const auto attempt = TakeNumber(path);
  const auto host = TakeNumber(path);
  if (!attempt || !host || path.empty()) return std::nullopt;
  object.run.attempt = *attempt;
  object.run.host = *host;
  object.file = path;
  return object;
}

std::string OutputName(std::string_view id, std::string_view path) {
  return fmt::format("{}{}/{}", kOutputPrefix, id, path);
}

std::string CheckpointFolder(std::string_view id) {
  return fmt::format("{}{}/", kCheckpointPrefix, id);
}

std::string CheckpointName(std::string_view id, std::uint64_t sequence) {
  return fmt::format("{}{:012}", CheckpointFolder(id), sequence);
}

}  // namespace kinetic::record
