#pragma once

#include "kinetic/result.h"

#include <string_view>

namespace kinetic::jobspec {

/// Returns whether an environment variable with this name probably holds a secret. Words are
/// separated by `_`, `-` or `.`; case is ignored. A name matches if
///  - a word is, or ends in, token, secret, password, passwd, passphrase, pwd, credential or a
///  plural
///    of these other than tokens (PGPASSWORD), or
///  - the word `key` follows api, private, access, secret, auth, signing or encryption.
///
/// A name does not match if its last word is file, path, dir, id, name, url, length, limit, count,
/// size, ttl or type, or if it is a special token of language models (EOS_TOKEN).
bool LooksSecret(std::string_view name);

/// The only KINETIC_ variable that a job may set in `env`. "no" disables the check that frameworks
/// see the accelerators.
inline constexpr std::string_view kCheckDevicesVariable = "KINETIC_CHECK_DEVICES";

/// Returns whether kinetic sets an environment variable: KINETIC_*.
bool IsReserved(std::string_view name);

/// Checks that a job may have a variable in `env`, which is stored with the job.
///
/// @errors  kInvalidArgument: the name looks like that of a secret, or is reserved.
Status CheckVariable(std::string_view name);

/// Returns whether an environment variable changes what a job runs or trusts, or belongs to the
/// machine that a job runs on: PATH, HOME, PYTHON*, LD_*, *_OPTIONS, proxies, certificates. Wildcards
/// in `secrets` do not match these names, except those that LooksSecret.
bool BelongsToMachine(std::string_view name);

}  // namespace kinetic::jobspec
