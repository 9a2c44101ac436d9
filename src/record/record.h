#pragma once

#include "kinetic/job_spec.h"

#include "base/clock.h"
#include "base/digest.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::record {

/// Where the code came from.
struct GitState {
  std::string commit;  ///< 40 or 64 hex digits
  std::string branch;
  std::optional<bool> dirty;  ///< tracked files differ from the commit; absent: git was not asked
  bool operator==(const GitState&) const = default;
};

/// What a `data:` key names, as a tree; it is unpacked after the bundle.
struct DataTree {
  Digest tree;
  bool file = false;  ///< the source is one file: the tree's only entry goes to the path itself
  bool operator==(const DataTree&) const = default;
};

/// What a `data:` key names in a bucket: a DataListing, which is an object of its own.
struct ListedData {
  Digest listing;  ///< sha256 of the document
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  bool file = false;  ///< one object, which goes to the path itself
  bool operator==(const ListedData&) const = default;
};

/// The packages that a job has in a pod, which its image does not hold: a tree that is unpacked at
/// pod::kEnvironmentFolder, and that becomes a virtual environment of the image's Python there.
struct PodEnvironment {
  Digest tree;
  std::string python;       ///< "3.12": its minor version
  std::uint64_t files = 0;  ///< of the tree, and so are the bytes
  std::uint64_t bytes = 0;
  bool operator==(const PodEnvironment&) const = default;
};

/// What a job is: jobs/{id}/record.json, written once and never changed. The runner knows its work
/// by the record's name and sha256 alone.
struct Record {
  std::string id;
  WallTime created;
  std::string owner;  ///< "ana@laptop"
  std::string client_version;
  std::string target;  ///< the profile's name
  std::string
      target_identity;  ///< what the name stood for: "local:laptop:/home/ana/.local/state/kinetic"
  std::string nonce;    ///< 128 random bits in hex; marks the job's processes and last log line
  JobSpec spec;         ///< as resolved; without positions and without secret values
  Digest tree;          ///< the bundle
  std::map<std::string, DataTree> data;           ///< by the path in the job
  std::map<std::string, ListedData> listed_data;  ///< the same, for what is in a bucket
  Digest arguments;                               ///< of the arguments document
  std::optional<std::string> inline_arguments;    ///< that document when it is at most 64 KiB
  std::string
      manifest_key;  ///< 64 hex digits; empty: no environment (run: jobs without dependencies)
  std::string environment_id;                             ///< 64 hex digits
  std::map<std::string, std::string> environment_inputs;  ///< for `kinetic env explain`
  std::optional<PodEnvironment> environment;              ///< that a pod unpacks
  std::string environment_image;   ///< "registry/name:tag@sha256:…", which holds it or that it is
                                   ///< laid upon; may be empty
  std::optional<Digest> compiled;  ///< key of what XLA compiled for jobs like it, in the store
  std::vector<std::string> secret_names;  ///< as found, wildcards expanded
  std::vector<std::string> not_applied;   ///< keys without effect on this target
  std::optional<GitState> git;
};

/// record.json: UTF-8 JSON, keys in a fixed order, indented.
std::string ToJson(const Record& record);

/// @errors  kDataLoss: not a record, or of a newer version; the message names the member.
Result<Record> FromJson(std::string_view json);

/// The first difference between two records of one id that would make them different jobs
/// ("args.epochs: 3 before, 5 now"); nothing when only time, owner, nonce, client and git differ.
std::optional<std::string> FirstDifference(const Record& before, const Record& now);

}  // namespace kinetic::record
