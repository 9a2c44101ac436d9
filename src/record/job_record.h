#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/prices.h"
#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "base/time/clock.h"
#include "record/client_phase.h"
#include "record/job_key.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::record {

/// The state of the git working tree that the code came from.
struct GitState {
  std::string commit;  ///< 40 or 64 hex digits
  std::string branch;
  bool operator==(const GitState&) const = default;
};

/// The data of a `data:` key, stored as a tree and unpacked after the bundle.
struct DataTree {
  Digest tree;
  bool file = false;  ///< the source is one file, which is unpacked as the path itself
  bool operator==(const DataTree&) const = default;
};

/// The data of a `data:` key that stays in a bucket, described by a DataListing.
struct ListedData {
  Digest listing;  ///< sha256 of the DataListing document
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  bool file = false;  ///< one object, which is stored as the path itself
  bool operator==(const ListedData&) const = default;
};

/// The packages of a job that runs in a pod and whose image does not contain them. The tree is
/// unpacked at pod::kEnvironmentFolder, where it becomes a virtual environment of the image's
/// Python.
struct PodEnvironment {
  Digest tree;
  std::string python;       ///< the minor version: "3.12"
  std::uint64_t files = 0;  ///< in the tree
  std::uint64_t bytes = 0;  ///< of these files
  bool operator==(const PodEnvironment&) const = default;
};

/// The description of a job: jobs/{id}/record.json, written once and never changed. The runner gets
/// only the record's name and sha256.
struct Record {
  std::string id;
  WallTime created;
  std::string owner;  ///< "ana@laptop"
  std::string client_version;
  std::string target;  ///< the profile's name
  /// What the name referred to: "local:laptop:/home/ana/.local/state/kinetic".
  std::string target_identity;
  std::string nonce;  ///< 128 random bits in hex; marks the job's processes and last log line
  JobSpec spec;       ///< resolved; without source positions and secret values
  Digest tree;        ///< the bundle
  std::map<std::string, DataTree> data;           ///< by the path in the job
  std::map<std::string, ListedData> listed_data;  ///< data in buckets, by the path in the job
  Digest arguments;                               ///< of the arguments document
  std::optional<std::string> inline_arguments;    ///< the document, up to kInlineArgumentsBytes
  /// The document has the arguments of each task: record/task_arguments.h.
  bool arguments_by_task = false;
  std::vector<Digest> arrays;  ///< shared ones, to which the arguments refer
  /// 64 hex digits. Empty: the job has no environment (`run:` without dependencies).
  std::string manifest_key;
  std::string environment_id;                             ///< 64 hex digits
  std::map<std::string, std::string> environment_inputs;  ///< for `kinetic env explain`
  std::optional<PodEnvironment> environment;              ///< unpacked by the pod
  /// "registry/name:tag@sha256:…": the image that contains the environment, or that it is added to.
  /// May be empty.
  std::string environment_image;
  std::optional<Digest>
      compiled;  ///< key of XLA's compilation cache for similar jobs, in the store
  std::vector<std::string> secret_names;  ///< resolved, wildcards expanded
  std::vector<std::string> not_applied;   ///< keys without effect on this target
  std::optional<GitState> git;
  std::optional<JobPrice> price;         ///< of the nodes, if their location is known
  std::string rerun_of;                  ///< ID of the job that this one repeats; may be empty
  std::vector<ClientPhase> preparation;  ///< what the client did before, in the order of ends
};

/// Returns the key that the job's objects carry.
inline JobKey KeyOf(const Record& record) { return {record.id, record.nonce}; }

/// Writes record.json: UTF-8 JSON, keys in a fixed order, indented.
std::string ToJson(const Record& record);

/// @errors  kDataLoss: not a record; the message names the field · kFailedPrecondition: of a newer
///          version.
Result<Record> FromJson(std::string_view json);

/// Returns the first difference that makes two records of one id different jobs ("args.epochs: 3
/// before, 5 now"), or nullopt if only time, owner, nonce, client version and git state differ.
std::optional<std::string> FirstDifference(const Record& before, const Record& now);

/// Larger argument documents are separate objects: jobs/{id}/arguments/{nonce}.
inline constexpr std::size_t kInlineArgumentsBytes = 64U << 10;

/// Writes the arguments document: a JSON list of positional arguments, or a JSON object of named
/// ones in order. Paths in the job are `{"$path": "data/train.csv"}`, as in job.yaml.
std::string ArgumentsToJson(const Arguments& args);

/// @errors  kDataLoss: neither a list nor an object.
Result<Arguments> ArgumentsFromJson(std::string_view json);

}  // namespace kinetic::record
