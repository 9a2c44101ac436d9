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

/// Patterns of names, in lower case, whose values change what runs or what is trusted, belong to every
/// process, or are folders and addresses of one machine.
constexpr std::string_view kMachinePatterns =
    "*path home *_home user logname *shell pwd oldpwd shlvl _ ifs env hostname term tz lang "
    "language "
    "tmp temp tmpdir uid lc_* ld_* dyld_* glibc_* malloc_* xdg_* virtual_env conda_* mamba_* "
    "bash* zdotdir ps1 ps4 python* perl* ruby* gem_* bundle_* lua_* php* node_* npm_* java_* "
    "_java_* "
    "jdk_* deno_* bun_* goroot goproxy go*db cargo_* rust* git_* ssh_* pip_* uv_* poetry_* "
    "docker_* "
    "*_proxy ssl_* *_ssl_* *_tls_* *_cert *_certs *ca_bundle *ca_file *cafile *insecure* "
    "*no_verify "
    "openssl* *opt *opts *options *flags *editor *visual *pager *askpass *command *preload "
    "*wrapper "
    "*browser *_startup kube* jax_platform* jax_compilation_cache_dir cuda_visible_devices tpu_*";

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
  if (IsReserved(name)) return true;
  if (LooksSecret(name)) return false;
  const auto patterns = Split(kMachinePatterns, ' ');
  return std::ranges::any_of(patterns, [lower = ToLower(name)](std::string_view pattern) {
    return MatchesWildcard(lower, pattern);
  });
}

}  // namespace kinetic::jobspec
