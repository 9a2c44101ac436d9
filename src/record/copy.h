#pragma once

#include "kinetic/result.h"

#include "record/job_key.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The documents that a client and the runner of a running job exchange to copy files:
/// docs/reference/store.md, "Copies". Paths are as in local::EncodeObjectPath, so that any bytes
/// can be in them.
namespace kinetic::record {

/// The maximum length of each of the documents.
inline constexpr std::uint64_t kMaxCopyDocumentBytes = 1U << 20;

/// jobs/{id}/copies/requests/{request}: removed by the client that wrote it.
struct CopyRequest {
  JobKey job;
  bool is_upload = false;  ///< to the job
  std::string path;        ///< in the job, as in local::ParseJobPath
  std::string name;        ///< of the source of an upload; may be empty
  bool is_folder = false;  ///< of the source of an upload
};

/// copies/{request}/progress.json: renewed by the runner while a copy takes long.
struct CopyProgress {
  JobKey job;
  std::uint64_t done_bytes = 0;
  std::uint64_t total_bytes = 0;  ///< 0: not known yet
};

/// copies/{request}/answer.json: written once, when the runner is done.
struct CopyAnswer {
  JobKey job;
  std::optional<Error> error;
  bool is_folder = false;
  std::string path;  ///< absolute, in the job: what was read or written
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> skipped;  ///< "a/link: points outside the folder"; not all of many
};

std::string ToJson(const CopyRequest& request);
std::string ToJson(const CopyProgress& progress);
std::string ToJson(const CopyAnswer& answer);

/// @errors  kDataLoss · kFailedPrecondition: of a newer version.
Result<CopyRequest> CopyRequestFromJson(std::string_view json);
Result<CopyProgress> CopyProgressFromJson(std::string_view json);
Result<CopyAnswer> CopyAnswerFromJson(std::string_view json);

}  // namespace kinetic::record
