#include "base/strings.h"
#include "job/find.h"

#include <algorithm>
#include <string>

namespace kinetic::job {

Status CheckJobId(std::string_view id) {
  constexpr std::size_t kMaxBytes = 50;
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (!id.empty() && id.size() <= kMaxBytes && std::ranges::all_of(id, allowed) &&
      id.front() != '-' && id.back() != '-') {
    return {};
  }
  return Fail(ErrorCode::kInvalidArgument, "'" + Printable(id) + "' is not a job ID",
              "use 1 to 50 characters of a-z, 0-9 and '-', without '-' at either end");
}

}  // namespace kinetic::job
