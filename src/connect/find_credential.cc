#include "kinetic/try.h"

#include "auth/source/token_sources.h"
#include "connect/cloud_options.h"

#include <mutex>
#include <utility>

namespace kinetic::connect {
namespace {

class RediscoveringSource final : public auth::TokenSource {
 public:
  RediscoveringSource(auth::CredentialLocations locations, auth::CredentialContext context,
                      std::unique_ptr<auth::TokenSource> found)
      : locations_(std::move(locations)), context_(std::move(context)), source_(std::move(found)) {}

  Result<auth::AccessToken> Fetch(std::stop_token stop) override {
    auto token = source_->Fetch(stop);
    if (token || token.error().code != ErrorCode::kUnauthenticated) return token;
    auto again = auth::FindCredential(locations_, context_, stop);
    if (!again) return token;
    auto fresh = (*again)->Fetch(stop);
    if (!fresh) return token;
    const std::lock_guard lock(mutex_);
    source_ = *std::move(again);
    return fresh;
  }

  auth::Identity GetIdentity() const override {
    const std::lock_guard lock(mutex_);
    return source_->GetIdentity();
  }

 private:
  auth::CredentialLocations locations_;
  auth::CredentialContext context_;
  mutable std::mutex mutex_;  ///< GetIdentity is called while another thread fetches
  std::unique_ptr<auth::TokenSource> source_;
};

}  // namespace

Result<FoundCredential> FindCredential(const CloudOptions& options,
                                       const auth::CredentialContext& context,
                                       http::Transport& direct, std::stop_token stop) {
  auth::CredentialLocations locations;
  locations.token = options.access_token;
  locations.token_file = options.token_file;
  locations.credential_file = options.credential_file;
  locations.well_known_file = options.well_known_file;
  locations.metadata_url = options.metadata_url;
  locations.direct = &direct;
  FoundCredential found;
  KINETIC_ASSIGN_OR_RETURN(found.source, auth::FindCredential(locations, context, std::move(stop)));
  // The metadata server's identity needs a request.
  if (dynamic_cast<const auth::MetadataSource*>(found.source.get()) == nullptr) {
    found.identity = found.source->GetIdentity();
  }
  // A token from the caller does not change.
  if (!locations.token.empty()) return found;
  found.source =
      std::make_unique<RediscoveringSource>(std::move(locations), context, std::move(found.source));
  return found;
}

}  // namespace kinetic::connect
