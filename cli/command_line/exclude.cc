#include "command_line/parse.h"

#include <fmt/format.h>

namespace kinetic::cli {

Status Exclude(bool one, std::string_view first, bool other, std::string_view second) {
  if (!one || !other) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} and {} exclude each other", first, second));
}

}  // namespace kinetic::cli
