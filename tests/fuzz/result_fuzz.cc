// result.json is written as it was read, and has a value only if the job succeeded.

#include "record/outcome.h"

#include <cstdlib>

using kinetic::ErrorCode;
using kinetic::JobState;
namespace record = kinetic::record;

namespace {

void Require(bool held) {
  if (!held) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = record::OutcomeFromJson(text);
  if (!read) {
    Require(read.error().code == ErrorCode::kDataLoss ||
            read.error().code == ErrorCode::kFailedPrecondition);  // a newer version
    return 0;
  }
  const auto& outcome = read->outcome;
  Require(kinetic::IsTerminal(outcome.state));
  Require(outcome.state == JobState::kSucceeded || (outcome.value.IsNull() && !read->value));
  if (outcome.exception) Require(!outcome.exception->Format().empty());
  const std::string json = record::ToJson(*read);
  const auto again = record::OutcomeFromJson(json);
  Require(again && record::ToJson(*again) == json);
  return 0;
}
