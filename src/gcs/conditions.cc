#include "gcs/conditions.h"

namespace kinetic::gcs {

void AddConditions(http::Url& url, const Conditions& conditions) {
  if (conditions.if_generation) {
    url.Query("ifGenerationMatch", std::to_string(*conditions.if_generation));
  }
  if (conditions.if_metageneration) {
    url.Query("ifMetagenerationMatch", std::to_string(*conditions.if_metageneration));
  }
}

http::Idempotency IdempotencyOf(const Conditions& conditions) {
  const bool guarded = conditions.if_generation || conditions.if_metageneration;
  return guarded ? http::Idempotency::kIdempotent : http::Idempotency::kNonIdempotent;
}

}  // namespace kinetic::gcs
