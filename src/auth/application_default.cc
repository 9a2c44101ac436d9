#include "kinetic/try.h"

#include "auth/credentials.h"
#include "auth/source/token_sources.h"
#include "base/strings.h"

namespace kinetic::auth {
namespace {

constexpr std::uint64_t kMaxFileBytes = 1U << 20;

std::string DescribeFile(const Path& path) { return "the file " + Printable(path.native()); }

Result<std::unique_ptr<TokenSource>> ReadNamedFile(const Path& path,
                                                   const CredentialContext& context) {
  auto text = ReadFile(*context.fs, path, kMaxFileBytes);
  if (!text) {
    Error error = std::move(text).error();
    error.code = ErrorCode::kUnauthenticated;
    error.hint =
        "correct or unset the setting or GOOGLE_APPLICATION_CREDENTIALS that refers to this file";
    return Failure(std::move(error).Context("reading the credential"));
  }
  return SourceFromJson(*text, DescribeFile(path), context);
}

Error NotFoundError(const CredentialLocations& locations) {
  std::string message = "no Google credential found";
  if (!locations.well_known_file.empty()) {
    message += ": " + Printable(locations.well_known_file.native()) + " does not exist";
  }
  if (!locations.metadata_url.empty()) message += ", and no metadata server responds";
  return {ErrorCode::kUnauthenticated,
          message,
          "run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a "
          "key file",
          {}};
}

}  // namespace

Result<std::unique_ptr<TokenSource>> FindCredential(const CredentialLocations& locations,
                                                    const CredentialContext& context,
                                                    std::stop_token stop) {
  if (!locations.token.empty()) return std::make_unique<FixedSource>(locations.token);
  if (!locations.token_file.empty()) {
    return std::make_unique<TokenFileSource>(locations.token_file, *context.fs,
                                             *context.network.clock);
  }
  if (!locations.credential_file.empty()) return ReadNamedFile(locations.credential_file, context);
  if (!locations.well_known_file.empty()) {
    auto text = ReadFile(*context.fs, locations.well_known_file, kMaxFileBytes);
    if (text) return SourceFromJson(*text, DescribeFile(locations.well_known_file), context);
    if (text.error().code != ErrorCode::kNotFound) return Failure(std::move(text).error());
  }
  if (!locations.metadata_url.empty()) {
    Network direct = context.network;
    if (locations.direct != nullptr) direct.transport = locations.direct;
    auto metadata = std::make_unique<MetadataSource>(locations.metadata_url, direct);
    if (metadata->IsAvailable(std::move(stop))) return metadata;
  }
  return Failure(NotFoundError(locations));
}

}  // namespace kinetic::auth
