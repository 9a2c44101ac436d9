#include "cloud/credential.h"

#include "auth/metadata_source.h"
#include "base/try.h"

#include <mutex>
#include <utility>

namespace kinetic::cloud {
namespace {

class LastingSource final : public auth::TokenSource {
 public:
  LastingSource(auth::Places places, auth::Surroundings surroundings,
                std::unique_ptr<auth::TokenSource> found)
      : places_(std::move(places)),
        surroundings_(std::move(surroundings)),
        source_(std::move(found)) {}

  Result<auth::AccessToken> Fetch(std::stop_token stop) override {
    auto token = source_->Fetch(stop);
    if (token || token.error().code != ErrorCode::kUnauthenticated) return token;
    auto again = auth::FindCredential(places_, surroundings_, stop);
    if (!again) return token;
    auto fresh = (*again)->Fetch(stop);
    if (!fresh) return token;
    const std::lock_guard lock(mutex_);
    source_ = *std::move(again);
    return fresh;
  }

  auth::Identity Who() const override {
    const std::lock_guard lock(mutex_);
    return source_->Who();
  }

 private:
  auth::Places places_;
  auth::Surroundings surroundings_;
  mutable std::mutex mutex_;  ///< Who is asked while another thread fetches
  std::unique_ptr<auth::TokenSource> source_;
};

}  // namespace

Result<Found> FindCredential(const CloudOptions& options, const auth::Surroundings& surroundings,
                             http::Transport& direct, std::stop_token stop) {
  auth::Places places;
  places.token = options.access_token;
  places.token_file = options.token_file;
  places.credential_file = options.credential_file;
  places.well_known_file = options.well_known_file;
  places.metadata_url = options.metadata_url;
  places.direct = &direct;
  Found found;
  KINETIC_ASSIGN_OR_RETURN(found.source,
                           auth::FindCredential(places, surroundings, std::move(stop)));
  // A metadata server would be asked who it is.
  if (dynamic_cast<const auth::MetadataSource*>(found.source.get()) == nullptr) {
    found.who = found.source->Who();
  }
  // A token that was given is the same one whenever it is looked for.
  if (!places.token.empty()) return found;
  found.source =
      std::make_unique<LastingSource>(std::move(places), surroundings, std::move(found.source));
  return found;
}

}  // namespace kinetic::cloud
