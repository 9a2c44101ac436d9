#include "record/job_key.h"

#include "base/strings.h"

#include <fmt/format.h>

namespace kinetic::record {
namespace {

constexpr std::string_view kId = "id";
constexpr std::string_view kNonce = "nonce";

std::string TextOf(const store::Metadata& metadata, std::string_view key) {
  const auto found = metadata.find(std::string(key));
  return found == metadata.end() ? std::string() : found->second;
}

}  // namespace

Status CheckOwner(std::string_view name, const JobKey& found, const JobKey& expected) {
  if (found.id != expected.id) {
    const std::string owner =
        found.id.empty() ? "no job" : fmt::format("job {}", Printable(found.id));
    return Fail(ErrorCode::kDataLoss,
                fmt::format("{}: belongs to {}, expected job {}", name, owner, expected.id));
  }
  if (expected.nonce.empty() || found.nonce == expected.nonce) return {};
  return Fail(ErrorCode::kDataLoss,
              fmt::format("{}: belongs to another job with the id {}: its nonce is '{}', expected "
                          "'{}'",
                          name, expected.id, Printable(found.nonce), expected.nonce));
}

store::Metadata OwnerMetadata(const JobKey& job) {
  return {{std::string(kId), job.id}, {std::string(kNonce), job.nonce}};
}

JobKey OwnerFromMetadata(const store::Metadata& metadata) {
  return {TextOf(metadata, kId), TextOf(metadata, kNonce)};
}

}  // namespace kinetic::record
