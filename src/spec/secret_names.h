#pragma once

#include <string_view>

namespace kinetic::spec {

/// Whether an environment variable of that name is likely to hold a secret: one of its words
/// (between `_`, `-` or `.`) is token, secret, password, passwd, passphrase, pwd, credential or a
/// plural of these but tokens, or ends in one of them (PGPASSWORD); or `key` follows api, private,
/// access, secret, auth, signing or encryption. Letter case does not count.
///
/// Not so where the last word says that the value is about a secret (file, path, dir, id, name,
/// url, length, limit, count, size, ttl, type), and not for the special tokens of language models
/// (EOS_TOKEN).
bool LooksSecret(std::string_view name);

}  // namespace kinetic::spec
