#include "jobspec/schema/variable_names.h"

#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace kinetic::jobspec {
namespace {

template <std::size_t N>
bool Contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 10> kSecretWords{
    "token",      "secret", "secrets",    "password",    "passwords",
    "passphrase", "passwd", "credential", "credentials", "apikey"};
constexpr std::array<std::string_view, 7> kBeforeKey{"api",  "private", "access",    "secret",
                                                     "auth", "signing", "encryption"};
constexpr std::array<std::string_view, 14> kAbout{"file",  "path", "dir", "id",     "name",
                                                  "url",   "uri",  "len", "length", "limit",
                                                  "count", "size", "ttl", "type"};
constexpr std::array<std::string_view, 8> kSpecialTokens{"bos", "eos", "pad",  "unk",
                                                         "sep", "cls", "mask", "stop"};

std::vector<std::string> Words(std::string_view name) {
  std::string lower = ToLower(name);
  std::ranges::replace_if(lower, [](char c) { return c == '-' || c == '.'; }, '_');
  std::vector<std::string> words;
  for (const auto word : Split(lower, '_')) {
    const bool digits = word.find_first_not_of("0123456789") == std::string_view::npos;
    if (!digits) words.emplace_back(word);
  }
  return words;
}

/// Names that every process has, or whose values are folders and addresses of one machine.
constexpr std::array<std::string_view, 33> kMachineNames{"PATH",
                                                         "HOME",
                                                         "USER",
                                                         "LOGNAME",
                                                         "SHELL",
                                                         "PWD",
                                                         "OLDPWD",
                                                         "SHLVL",
                                                         "_",
                                                         "IFS",
                                                         "ENV",
                                                         "BASH_ENV",
                                                         "HOSTNAME",
                                                         "TERM",
                                                         "TZ",
                                                         "LANG",
                                                         "LANGUAGE",
                                                         "TMPDIR",
                                                         "TMP",
                                                         "TEMP",
                                                         "MANPATH",
                                                         "CPATH",
                                                         "LIBRARY_PATH",
                                                         "VIRTUAL_ENV",
                                                         "UID",
                                                         "SSL_CERT_FILE",
                                                         "SSL_CERT_DIR",
                                                         "CURL_CA_BUNDLE",
                                                         "REQUESTS_CA_BUNDLE",
                                                         "JAX_PLATFORMS",
                                                         "JAX_COMPILATION_CACHE_DIR",
                                                         "JAX_PLATFORM_NAME",
                                                         "CUDA_VISIBLE_DEVICES"};
constexpr std::array<std::string_view, 9> kMachinePrefixes{
    "LC_", "LD_", "DYLD_", "PYTHON", "KINETIC_", "KUBERNETES_", "XDG_", "CONDA_", "TPU_"};
/// Compared without case.
constexpr std::array<std::string_view, 5> kProxies{"http_proxy", "https_proxy", "ftp_proxy",
                                                   "all_proxy", "no_proxy"};

bool IsSecretWord(std::string_view word) {
  return word == "pwd" || std::ranges::any_of(kSecretWords, [&](std::string_view secret) {
           return word.ends_with(secret);
         });
}

}  // namespace

bool LooksSecret(std::string_view name) {
  const auto words = Words(name);
  if (words.size() < 2) return words.size() == 1 && words[0] != "pwd" && IsSecretWord(words[0]);
  if (Contains(kAbout, words.back())) return false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view before = i == 0 ? std::string_view() : words[i - 1];
    if (words[i] == "token" && Contains(kSpecialTokens, before)) continue;
    if (IsSecretWord(words[i])) return true;
    if (words[i] == "key" && Contains(kBeforeKey, before)) return true;
  }
  return false;
}

bool IsReserved(std::string_view name) { return name.starts_with("KINETIC_"); }

Status CheckVariable(std::string_view name) {
  if (LooksSecret(name))
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("env: {} looks like a secret, and env is stored with the job; list it in "
                    "`secrets`",
                    name));
  if (IsReserved(name) && name != kCheckDevicesVariable)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("env: {} is reserved: kinetic sets KINETIC_*; use another name", name));
  return {};
}

bool BelongsToMachine(std::string_view name) {
  return Contains(kMachineNames, name) || Contains(kProxies, ToLower(name)) ||
         std::ranges::any_of(kMachinePrefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace kinetic::jobspec
