#pragma once

#include "kinetic/result.h"

#include <string>
#include <string_view>

namespace kinetic::auth {

/// Refuses an address to which a credential file would have secrets sent, unless it is https to a
/// Google host of the credential's universe: a file from somebody else can name any address.
///
/// @param   loopback_allowed  for the stand-ins of tests and local brokers, http too.
/// @errors  kPermissionDenied, naming the member and the host.
Result<void> CheckTokenHost(const std::string& url, std::string_view member,
                            std::string_view universe_domain, bool loopback_allowed);

}  // namespace kinetic::auth
