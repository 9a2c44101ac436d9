#pragma once

#include "kinetic/explanation.h"
#include "kinetic/job.h"
#include "kinetic/value.h"

#include "base/hash/digest.h"
#include "base/time/clock.h"
#include "json/document.h"
#include "record/status.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Fields of the stored JSON documents: how times, digests, numbers and timelines are read and
/// written. Readers report an invalid field to `reader` and return a default value.

namespace kinetic::record {

/// Checks the field `version`.
///
/// @errors  kDataLoss: invalid · kFailedPrecondition: above `newest`. Nothing is wrong with the
///          document then.
Status CheckVersion(json::ObjectReader& reader, std::int64_t newest);

WallTime ReadTime(json::ObjectReader& reader, std::string_view key);
Digest ReadDigest(json::ObjectReader& reader, std::string_view key);
std::uint32_t ReadUint32(json::ObjectReader& reader, std::string_view key);
std::uint64_t ReadCount(json::ObjectReader& reader, std::string_view key);
/// This and the two functions below return an empty value if the field is absent.
std::string ReadText(json::ObjectReader& reader, std::string_view key);
std::vector<std::string> ReadTexts(json::ObjectReader& reader, std::string_view key);
std::map<std::string, std::string> ReadTextMap(json::ObjectReader& reader, std::string_view key);
std::vector<Moment> ReadMoments(json::ObjectReader& reader, std::string_view key);

Value TextsValue(const std::vector<std::string>& texts);
Value TextMapValue(const std::map<std::string, std::string>& texts);
Value MomentsValue(const std::vector<Moment>& moments);
/// Counts are limited to 63 bits in JSON.
Value CountValue(std::uint64_t count);

/// Parses the name of an enumerator, as returned by kinetic::Name.
std::optional<JobState> ParseJobState(std::string_view name);
std::optional<Phase> ParsePhase(std::string_view name);
std::optional<Cause> ParseCause(std::string_view name);

/// Parses the name of an error code.
std::optional<ErrorCode> ParseErrorCode(std::string_view name);

/// Returns "program", "exception" or "kinetic".
std::string_view Name(ExitSource source);
std::optional<ExitSource> ParseExitSource(std::string_view name);

/// Returns "stdout", "stderr" or "system".
std::string_view Name(Stream stream);

}  // namespace kinetic::record
