#include "kinetic/job_file.h"

#include "jobspec/serialize.h"

#include <cstdint>
#include <cstdlib>

/// Checks that a job file is rejected, or that its spec reads back equal after writing.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kinetic::JobFileOptions options;
  options.directory = "/nonexistent";
  options.environment = {{"HOME", "/root"}};
  const auto spec =
      kinetic::ParseJobFile({reinterpret_cast<const char*>(data), size}, "job.yaml", options);
  if (!spec) {
    if (spec.error().message.empty()) std::abort();
    return 0;
  }
  const auto value = kinetic::jobspec::ToValue(*spec);
  const auto again = kinetic::jobspec::FromValue(value);
  if (!again || kinetic::jobspec::ToValue(*again).ToJson() != value.ToJson()) std::abort();
  return 0;
}
