#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::cli {

using ContentSink = std::function<Status(std::string_view)>;

/// Passes on the content of a value that is bytes or an array (as .npy), as it is.
///
/// @returns  false, and nothing passed on, for any other value.
/// @errors   kDataLoss: what is stored is not what its digest says, or no base64 · those of `sink`.
Result<bool> ReadContent(const Job& job, const Value& value, const ContentSink& sink,
                         std::stop_token stop);

/// Decodes RFC 4648 base64 with padding; nothing when it is none.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace kinetic::cli
