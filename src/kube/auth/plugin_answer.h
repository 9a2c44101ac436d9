#pragma once

#include "kube/auth/credential.h"

#include <string>
#include <string_view>

namespace kinetic::kube {

struct PluginAnswer {
  Credential credential;
  bool says_end = false;  ///< the expiry is the plugin's word, and not only its certificate's
};

/// What a credential plugin printed: an ExecCredential with a status.
///
/// @param   where  begins every message: "the credential plugin aws".
/// @errors  kUnauthenticated: what is wrong with it, without any of its text.
/// @source  https://kubernetes.io/docs/reference/config-api/client-authentication.v1/
Result<PluginAnswer> ReadPluginAnswer(std::string_view text, const std::string& api_version,
                                      const std::string& where);

}  // namespace kinetic::kube
