#pragma once

#include "kinetic/job.h"

#include "record/outcome.h"
#include "store/store.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// result.json of a job; nothing while it has not ended.
/// @errors  kDataLoss (damaged) · those of Store.
Result<std::optional<record::StoredOutcome>> ReadResult(store::Store& store, std::string_view id,
                                                        std::stop_token stop);

/// The outcome with its value, which is fetched and verified when it is not inline.
/// @errors  kDataLoss: the value is absent or is not what the result says.
Result<Outcome> WithValue(store::Store& store, std::string_view id, record::StoredOutcome stored,
                          std::stop_token stop);

/// Copies an array or bytes value of a job to `sink`, and verifies it on the way.
///
/// @param reference  the "$ref" of its tagged form: "sha256:{64 hex digits}", or the digits alone.
/// @errors  kInvalidArgument (no reference) · kNotFound · kDataLoss, after bytes have been passed
///          on: what was written is to be thrown away.
Status ReadStoredValue(store::Store& store, std::string_view id, std::string_view reference,
                       const store::Sink& sink, std::stop_token stop);

}  // namespace kinetic::job
