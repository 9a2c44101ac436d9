#include "auth/tokens.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "connect/cloud_options.h"

namespace kinetic::connect {
namespace {

constexpr const char* kConsequence =
    "; results after that are not stored (see 'kinetic auth status')";

}  // namespace

std::optional<std::string> ExpiryWarning(const CloudOptions& options, WallTime now,
                                         std::optional<std::chrono::milliseconds> time_limit) {
  if (options.access_token.empty()) {
    if (options.token_file.empty()) return std::nullopt;
    return "kinetic cannot renew the access token in " + Printable(options.token_file.native()) +
           "; keep the file up to date until the job ends";
  }
  const auto end = auth::JwtExpiry(options.access_token);
  if (!end) {
    return std::string("kinetic cannot renew the access token, which expires within an hour") +
           kConsequence;
  }
  // now + *time_limit might overflow.
  const auto left = std::chrono::floor<std::chrono::milliseconds>(*end - now);
  if (time_limit && *time_limit <= left) return std::nullopt;
  return "kinetic cannot renew the access token, which expires at " + FormatTime(*end) +
         kConsequence;
}

}  // namespace kinetic::connect
