#pragma once

#include "kinetic/prices.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "record/job_key.h"
#include "record/status.h"
#include "store/object_store.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

/// What the cost of a job is computed from: the price of its nodes, and for how long it held them.
namespace kinetic::record {

/// Returns the price as an object of JSON.
Value JobPriceValue(const JobPrice& price);

/// Parses the object of JobPriceValue. Returns nullopt if it is invalid.
std::optional<JobPrice> JobPriceFrom(const Value& value);

/// Parses a number of milliseconds in metadata. Returns 0 if it is missing or invalid.
std::chrono::milliseconds NodeTimeFromText(std::string_view text);

/// Returns for how long an attempt held its node, by the events of its pod: from the first one on the
/// node to the last one. 0 if it never was on a node.
std::chrono::milliseconds NodeTimeOf(const std::vector<Moment>& moments);

/// Returns for how long the attempts before `attempt` held their nodes, as far as they stored an
/// outcome, each of which contains the time of those before. One request for the last attempt, and one
/// more for each attempt that stored none.
Result<std::chrono::milliseconds> ReadNodeTime(store::Store& store, const JobKey& job,
                                               std::uint32_t attempt, std::stop_token stop);

}  // namespace kinetic::record
