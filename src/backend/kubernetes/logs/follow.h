#pragma once

#include "kinetic/job.h"

#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/kubernetes/snapshot/watch_job.h"
#include "kube/client.h"

#include <cstdint>
#include <stop_token>
#include <string_view>

namespace kinetic::backend {

/// Implements Target::Logs without `follow`: reads what the job's pods have now, up to the first
/// missing record. @returns  the sequence number after the last record read.
Result<std::uint64_t> ReadPodLogs(const kube::Client& client, std::string_view name_space,
                                  const ClusterSnapshot& snapshot, std::uint64_t from_sequence,
                                  const LogReader& reader, std::stop_token stop);

/// Implements Target::Logs with `follow`: reads until the last line, until nothing of the job is
/// left, or until a record is missing that the store may have.
Result<std::uint64_t> FollowPodLogs(const WatchedJob& job, std::uint64_t from_sequence,
                                    const LogReader& reader, std::stop_token stop);

}  // namespace kinetic::backend
