#pragma once

#include "kinetic/job.h"

#include "backend/watched_job.h"

#include <cstdint>
#include <stop_token>

namespace kinetic::backend {

/// Target::Logs without `follow`: what the job's pods show just now, up to the first record that
/// they have not. @returns  the sequence number after the last record read.
Result<std::uint64_t> ReadPodLogs(const kube::Client& client, std::string_view name_space,
                                  const Observed& observed, std::uint64_t from_sequence,
                                  const LogReader& reader, std::stop_token stop);

/// Target::Logs with `follow`: until the job's last word has been read, nothing of the job is left,
/// or a record is missing that only the store may have.
Result<std::uint64_t> FollowPodLogs(const WatchedJob& job, std::uint64_t from_sequence,
                                    const LogReader& reader, std::stop_token stop);

}  // namespace kinetic::backend
