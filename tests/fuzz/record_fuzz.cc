// record.json and status.json are rejected or are written as they were read.

#include "record/job_record.h"
#include "record/status.h"

#include <cstdlib>

using kinetic::ErrorCode;
namespace record = kinetic::record;

namespace {

void Require(bool held) {
  if (!held) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto read = record::FromJson(text)) {
    const std::string json = record::ToJson(*read);
    const auto again = record::FromJson(json);
    Require(again && record::ToJson(*again) == json);
    Require(!record::FirstDifference(*read, *again));
  } else {
    Require(read.error().code == ErrorCode::kDataLoss ||
            read.error().code == ErrorCode::kFailedPrecondition);  // a newer version
  }
  if (const auto read = record::StatusFromJson(text)) {
    const std::string json = record::ToJson(*read);
    const auto again = record::StatusFromJson(json);
    Require(again && record::ToJson(*again) == json);
  } else {
    Require(read.error().code == ErrorCode::kDataLoss ||
            read.error().code == ErrorCode::kFailedPrecondition);  // a newer version
  }
  return 0;
}
