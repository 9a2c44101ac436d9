#pragma once

#include "gcs/client.h"
#include "gcs/object.h"
#include "http/transport.h"

#include <optional>
#include <string>

namespace kinetic::gcs {

/// How often what may be asked twice is asked for when what arrives is damaged.
inline constexpr int kReadsOfDamaged = 3;

/// The object in an answer of 2xx; nothing for the status `absent`.
///
/// @errors  kDataLoss (an answer that is none) · those of ErrorOf for any other status.
Result<std::optional<Object>> ObjectUnless(int absent, const http::Request& request,
                                           const http::Response& response);

/// The resource sent with content. @param name  empty: not part of it.
Value ResourceOf(const std::string& name, const InsertOptions& options);

}  // namespace kinetic::gcs
