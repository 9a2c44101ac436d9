#pragma once

#include "base/clock.h"
#include "base/digest.h"

#include <cstdint>
#include <string>
#include <string_view>

/// The names of the objects in a store, format 1: docs/reference/store.md. Nothing else spells
/// them.
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
inline constexpr std::string_view kTurnPrefix = "turns/";
inline constexpr std::string_view kCompiledPrefix = "compiled/";
inline constexpr std::string_view kIndexPrefix = "index/";
inline constexpr std::string_view kJobPrefix = "jobs/";
inline constexpr std::string_view kOutputPrefix = "outputs/";
inline constexpr std::string_view kCheckpointPrefix = "checkpoints/";

inline constexpr std::string_view kFormatName = "format.json";

std::string PackName(const Digest& stored_bytes);  ///< packs/{sha256 of the stored bytes}
std::string TreeName(const Digest& tree);          ///< trees/{digest}
std::string DataSetName(std::string_view name);    ///< data/{name}
std::string LockName(const Digest& manifest_key);
std::string PackageName(const Digest& key);      ///< packages/{key}: one installed package
std::string EnvironmentName(const Digest& key);  ///< environments/{key}: all that a lock names

std::string LayerName(const Digest& key);  ///< layers/{key}: one layer of images
/// images/{sha256 of "registry/name:tag"}: an image that clients of this store had made
std::string MadeImageName(std::string_view image);
std::string TurnName(const Digest& key);  ///< turns/{key}: of an image that is being made
/// compiled/{key}/: what XLA compiled for jobs of one user and environment
std::string CompiledFolder(const Digest& key);

/// builds/{sha256 of the archive}.tar.gz: what a build service makes an image from
std::string BuildSourceName(const Digest& archive);
/// builds/{sha256 of it}.json: what a pod is to make packages of
std::string PackagesOrderName(const Digest& order);
/// builds/logs: where it writes what it says
inline constexpr std::string_view kBuildLogFolder = "builds/logs";
/// builds/logs/log-{id}.txt, as Cloud Build names it
std::string BuildLogName(std::string_view build);

/// index/{inverted time}-{id}: newest first in a listing.
std::string IndexName(WallTime created, std::string_view id);

std::string JobFolder(std::string_view id);   ///< jobs/{id}/
std::string RecordName(std::string_view id);  ///< jobs/{id}/record.json
/// jobs/{id}/arguments/{nonce of the record}: two submissions of one id do not share it
std::string ArgumentsName(std::string_view id, std::string_view nonce);
/// jobs/{id}/data/{nonce of the record}/{sha256 of the listing}
std::string DataListingName(std::string_view id, std::string_view nonce, const Digest& listing);
std::string ResultName(std::string_view id);  ///< jobs/{id}/result.json
/// jobs/{id}/next-job.json: while a Job takes another one's place
std::string NextJobName(std::string_view id);
/// jobs/{id}/following: renewed by whoever follows the log from the store
std::string FollowingName(std::string_view id);
std::string ClaimName(std::string_view id, std::uint32_t attempt);
/// jobs/{id}/attempts/{attempt}/{host}/
std::string HostFolder(std::string_view id, std::uint32_t attempt, std::uint32_t host);
std::string StatusName(std::string_view id, std::uint32_t attempt, std::uint32_t host);
std::string AttemptResultName(std::string_view id, std::uint32_t attempt, std::uint32_t host);
std::string ValueName(std::string_view id, std::uint32_t attempt, std::uint32_t host);
std::string TimelineName(std::string_view id, std::uint32_t attempt, std::uint32_t host);
/// …/log/{first sequence, 12 digits}
std::string LogSegmentName(std::string_view id, std::uint32_t attempt, std::uint32_t host,
                           std::uint64_t first_sequence);
/// …/values/{sha256}: an array or bytes value, beside value.json
std::string StoredValueName(std::string_view id, std::uint32_t attempt, std::uint32_t host,
                            const Digest& content);
std::string OutputName(std::string_view id, std::string_view path);
std::string CheckpointFolder(std::string_view id);  ///< checkpoints/{id}/
/// checkpoints/{id}/{sequence, 12 digits}
std::string CheckpointName(std::string_view id, std::uint64_t sequence);

}  // namespace kinetic::record
