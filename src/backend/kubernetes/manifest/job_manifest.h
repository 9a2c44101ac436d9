#pragma once

#include "kinetic/profile.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "backend/capabilities.h"
#include "backend/target.h"
#include "pod/collect_request.h"
#include "record/job_record.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::backend {

/// What a Job is made from. Nothing else has a say in it.
struct ManifestRequest {
  const record::Record* record = nullptr;  ///< required
  pod::CollectRequest collect;             ///< what the collector is told; holds no secret
  ClusterProfile cluster;       ///< resolved: `name_space` and `runner_image` are not empty
  std::size_t accelerator = 0;  ///< which of record->spec.accelerators; those after it come along
  std::map<std::string, std::string> secrets;  ///< values by the names of their variables
  bool restricted = false;  ///< the namespace enforces the Pod Security Standard "restricted"
};

/// What is created in the cluster: first the Secret, then the Job.
struct Manifests {
  Value job;
  std::optional<Value> secret;  ///< absent for a job without secrets
};

/// The objects of one job. Equal requests give equal bytes. No value of a secret is in the Job.
///
/// @errors  kInvalidArgument: an id that cannot name a Job, a secret whose name no Secret can hold
///          or that is larger than 1 MiB with the others, pod fields that do not merge or that
///          change what is kinetic's (the message names them), a file under `data` at an absolute
///          path; kUnimplemented: an accelerator of several hosts.
/// @source  https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/
Result<Manifests> BuildManifests(const ManifestRequest& request);

/// What a job names, or else the profile, or else "python:{version}-slim".
std::string ImageOf(const JobSpec& spec, const ClusterProfile& cluster);

/// The image of the job's container: one that was made for its packages, or ImageOf its spec.
std::string ImageOf(const record::Record& record, const ClusterProfile& cluster);

/// The same with what its packages are to be made for.
BaseImage BaseOf(const JobSpec& spec, const ClusterProfile& cluster);

/// How a Job that was there already stands to the one that was to be created.
enum class Likeness {
  kSame,        ///< made from the same request
  kSameRecord,  ///< the same job for another accelerator of its list, or by another client
  kOther,       ///< another job, or none of kinetic's
};
Likeness Compare(const Value& existing_job, const Value& wanted_job);

/// What of `spec` a cluster refuses or does not apply, in the order of docs/reference/job-file.md:
/// all that can be said without asking the cluster. Each field under `pod` that does not merge or
/// changes what is kinetic's is one of them, by its own key, so that its place in the file is
/// known.
std::vector<Limitation> CheckKubernetes(const JobSpec& spec, const ClusterProfile& cluster);

/// The Secret that a job's secrets travel in: immutable, and named as its Job.
///
/// @param name_space  where the Job is.
/// @param store       of the job; a Secret that no Job came to own is found by it.
/// @param secrets     values by the names of variables; not empty.
/// @errors  kInvalidArgument: a name that cannot be a Secret's key, a value that no variable can
///          hold, or more than a Secret holds; kFailedPrecondition: the record names a secret that
///          has no value. No message shows a value.
Result<Value> SecretOf(const record::Record& record, const std::string& name_space,
                       const std::string& store, const std::map<std::string, std::string>& secrets);

/// What is merged into the Secret once the Job is there (kMerge), so that it goes with it.
///
/// @param created_job  as the server answered: with its uid.
Value OwnerPatch(const Value& created_job);

}  // namespace kinetic::backend
