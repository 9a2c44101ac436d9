#include "auth/find.h"

#include "auth/fixed_source.h"
#include "auth/metadata_source.h"
#include "base/strings.h"
#include "base/try.h"

namespace kinetic::auth {
namespace {

constexpr std::uint64_t kCredentialBytes = 1U << 20;

std::string OriginOf(const Path& path) { return "the file " + Printable(path.native()); }

Result<std::unique_ptr<TokenSource>> FromNamedFile(const Path& path,
                                                   const Surroundings& surroundings) {
  auto text = ReadFile(*surroundings.fs, path, kCredentialBytes);
  if (!text) {
    Error error = std::move(text).error();
    error.code = ErrorCode::kUnauthenticated;
    error.hint = "a setting or GOOGLE_APPLICATION_CREDENTIALS names it: name another, or none";
    return Failure(std::move(error).Context("reading the credential"));
  }
  return SourceFromJson(*text, OriginOf(path), surroundings);
}

Error NothingFound(const Places& places) {
  std::string looked = "no Google credential was found";
  if (!places.well_known_file.empty()) {
    looked += ": there is no " + Printable(places.well_known_file.native());
  }
  if (!places.metadata_url.empty()) looked += ", and no metadata server answers";
  return {ErrorCode::kUnauthenticated,
          looked,
          "run `gcloud auth application-default login`, or name a key file in "
          "GOOGLE_APPLICATION_CREDENTIALS",
          {}};
}

}  // namespace

Result<std::unique_ptr<TokenSource>> FindCredential(const Places& places,
                                                    const Surroundings& surroundings,
                                                    std::stop_token stop) {
  if (!places.token.empty()) return std::make_unique<FixedSource>(places.token);
  if (!places.token_file.empty()) {
    return std::make_unique<TokenFileSource>(places.token_file, *surroundings.fs,
                                             *surroundings.network.clock);
  }
  if (!places.credential_file.empty()) return FromNamedFile(places.credential_file, surroundings);
  if (!places.well_known_file.empty()) {
    auto text = ReadFile(*surroundings.fs, places.well_known_file, kCredentialBytes);
    if (text) return SourceFromJson(*text, OriginOf(places.well_known_file), surroundings);
    if (text.error().code != ErrorCode::kNotFound) return Failure(std::move(text).error());
  }
  if (!places.metadata_url.empty()) {
    Network direct = surroundings.network;
    if (places.direct != nullptr) direct.transport = places.direct;
    auto metadata = std::make_unique<MetadataSource>(places.metadata_url, direct);
    if (metadata->Answers(std::move(stop))) return metadata;
  }
  return Failure(NothingFound(places));
}

}  // namespace kinetic::auth
