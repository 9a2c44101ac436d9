#include "auth/impersonated_source.h"

#include "base/try.h"

namespace kinetic::auth {

Result<AccessToken> ImpersonatedSource::Fetch(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const AccessToken with, source_->Fetch(stop));
  return AskForImpersonation(network_, wanted_, with, "the credential in " + who_.origin, stop);
}

}  // namespace kinetic::auth
