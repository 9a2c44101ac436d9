#pragma once

#include "gcs/client.h"
#include "http/retry.h"
#include "http/url.h"

namespace kinetic::gcs {

void AddConditions(http::Url& url, const Conditions& conditions);

/// A write may be sent twice when its precondition can hold only once.
http::Idempotency IdempotencyOf(const Conditions& conditions);

}  // namespace kinetic::gcs
