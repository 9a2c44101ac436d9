#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/result.h"

#include <string>
#include <string_view>

namespace kinetic::record {

/// Arguments larger than this are an object of their own, jobs/{id}/arguments/{nonce}; smaller ones
/// ride in the record.
inline constexpr std::size_t kInlineArgumentsBytes = 64U << 10;

/// The document: a JSON list (positional arguments) or a JSON object (named ones, in order; empty
/// when there are none). Paths in the job are `{"$path": "data/train.csv"}`, as in job.yaml.
std::string ArgumentsToJson(const Arguments& args);

/// @errors  kDataLoss: neither a list nor an object.
Result<Arguments> ArgumentsFromJson(std::string_view json);

}  // namespace kinetic::record
