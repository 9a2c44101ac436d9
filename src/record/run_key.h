#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic::record {

/// Identifies one execution of a job's program: one attempt on one host. Each has its own log and
/// files; the job has one outcome and one value.
struct RunKey {
  RunKey() = default;
  explicit RunKey(std::string_view job_id, std::uint32_t attempt_number = 1,
                  std::uint32_t host_number = 0)
      : id(job_id), attempt(attempt_number), host(host_number) {}

  std::string id;             ///< of the job
  std::uint32_t attempt = 1;  ///< counts from 1
  std::uint32_t host = 0;     ///< counts from 0, whose run has the job's log and value

  /// Orders by number: attempt 10 is later than attempt 9.
  friend auto operator<=>(const RunKey&, const RunKey&) = default;
};

}  // namespace kinetic::record
