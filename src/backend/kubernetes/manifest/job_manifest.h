#pragma once

#include "kinetic/prices.h"
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

/// The complete input of a job's manifests.
struct ManifestRequest {
  const record::Record* record = nullptr;  ///< required
  pod::CollectRequest collect;             ///< contains no secret
  ClusterProfile cluster;       ///< resolved: `name_space` and `runner_image` are not empty
  std::size_t accelerator = 0;  ///< index in record->spec.accelerators
  std::map<std::string, std::string> secrets;  ///< values by variable name
  bool restricted = false;  ///< the namespace enforces the Pod Security Standard "restricted"
};

/// The objects to create: first the Secret, then the Job.
struct Manifests {
  Value job;
  std::optional<Value> secret;  ///< absent for a job without secrets
};

/// Builds the objects of a job. Equal requests give equal bytes. The Job contains no values of
/// secrets.
///
/// @errors  kInvalidArgument: an ID that cannot name a Job; a secret whose name is not a valid key;
///          secrets above 1 MiB in total; pod fields that cannot be merged or that change what
///          belongs to kinetic (the message lists them); a file under `data` at an absolute path ·
///          kUnimplemented: a multi-host accelerator.
/// @source  https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/
Result<Manifests> BuildManifests(const ManifestRequest& request);

/// Returns the job's image, else the profile's, else "python:{version}-slim".
std::string ResolveImage(const JobSpec& spec, const ClusterProfile& cluster);

/// Returns the image of the job's container: the one built for its packages, else
/// that of its spec.
std::string ResolveImage(const record::Record& record, const ClusterProfile& cluster);

/// Returns the base image, with the Python version and platform of its packages.
BaseImage ResolveBaseImage(const JobSpec& spec, const ClusterProfile& cluster);

/// How an existing Job relates to the Job to create.
enum class JobMatch {
  kSame,        ///< made from the same request
  kSameRecord,  ///< the same job for another accelerator, or from another client
  kOther,       ///< another job, or not kinetic's
};
JobMatch MatchJob(const Value& existing_job, const Value& wanted_job);

/// Returns the keys of `spec` that a cluster rejects or ignores, in the order of
/// docs/reference/job-file.md, without querying the cluster. Invalid fields under `pod` are
/// reported one by one, so that their locations in the file are known.
std::vector<Limitation> CheckSpecForKubernetes(const JobSpec& spec, const ClusterProfile& cluster,
                                               const Prices& prices);

/// Returns the Secret with a job's secrets. It is immutable and has the Job's name.
///
/// @param name_space  of the Job.
/// @param store       of the job; identifies a Secret that no Job owns.
/// @param secrets     values by variable name; not empty.
/// @errors  kInvalidArgument: an invalid name or value, or more than 1 MiB in total ·
///          kFailedPrecondition: a secret of the record has no value. No message contains a value.
Result<Value> MakeSecret(const record::Record& record, const std::string& name_space,
                         const std::string& store,
                         const std::map<std::string, std::string>& secrets);

/// Returns the merge patch that makes the Job the Secret's owner, so that both are deleted
/// together.
///
/// @param created_job  as returned by the server, with its UID.
Value OwnerPatch(const Value& created_job);

}  // namespace kinetic::backend
