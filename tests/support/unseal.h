#pragma once

#include "record/log/segment.h"

#include <string>
#include <string_view>

namespace kinetic::test {

/// Decompresses a whole sealed segment. Returns kDataLoss also if it is truncated.
inline Result<std::string> Unseal(std::string_view sealed) {
  record::Unsealer unsealer;
  std::string plain;
  const auto take = [&](std::string& segment) -> Status {
    plain = std::move(segment);
    return {};
  };
  if (auto fed = unsealer.Feed(sealed, take); !fed) return Failure(std::move(fed).error());
  if (!unsealer.AtEnd()) return Fail(ErrorCode::kDataLoss, "the segment is truncated");
  return plain;
}

}  // namespace kinetic::test
