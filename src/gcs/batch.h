#pragma once

#include "kinetic/result.h"

#include "http/transport.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::gcs {

/// The most calls of one batch.
inline constexpr std::size_t kBatchCalls = 100;

/// Many requests in one.
///
/// @param url    of the batch endpoint.
/// @param calls  without bodies; their addresses are paths, and what authorises the batch
///               authorises them.
/// @source       https://cloud.google.com/storage/docs/batch
http::Request BatchRequest(std::string url, const std::vector<http::Request>& calls);

/// The answers in a batch's answer, in order of the calls; nothing for a call without one. They
/// have status and body, and no header fields.
std::vector<std::optional<http::Response>> BatchAnswers(const http::Response& response,
                                                        std::size_t calls);

}  // namespace kinetic::gcs
