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

/// Writes the raw content of a value of type bytes or array (as .npy) to `sink`.
///
/// @returns  false, and writes nothing, for any other value.
/// @errors   kDataLoss: the stored data does not match its digest, or is not base64 · errors of
///          `sink`.
Result<bool> ReadContent(const Job& job, const Value& value, const ContentSink& sink,
                         std::stop_token stop);

/// Decodes RFC 4648 base64 with padding. Returns nullopt if the text is not valid base64.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace kinetic::cli
