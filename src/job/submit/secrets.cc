#include "kinetic/try.h"

#include "base/strings.h"
#include "job/submit/prepare.h"
#include "jobspec/schema/variable_names.h"
#include "jobspec/serialize.h"

#include <algorithm>

namespace kinetic::job {
namespace {

/// Records, requests and Kubernetes carry text only.
Status CheckValues(const std::map<std::string, std::string>& secrets) {
  for (const auto& [name, value] : secrets) {
    if (IsUtf8(value)) continue;
    return Fail(ErrorCode::kInvalidArgument,
                "secrets: the value of " + Printable(name) + " is not valid UTF-8",
                "encode the value as text, for example in base64, and decode it in the job");
  }
  return {};
}

}  // namespace

Result<std::map<std::string, std::string>> CollectSecrets(
    const std::vector<std::string>& names, const std::map<std::string, std::string>& environment,
    const std::map<std::string, std::string>& job_env) {
  std::map<std::string, std::string> secrets;
  std::vector<std::string> missing;
  for (const auto& name : names) {
    if (name.find_first_of("*?") == std::string::npos) {
      const auto found = environment.find(name);
      if (found == environment.end()) {
        if (std::ranges::find(missing, name) == missing.end()) missing.push_back(name);
      } else {
        secrets.insert(*found);
      }
      continue;
    }
    for (const auto& variable : environment) {
      const bool plain = job_env.contains(variable.first);
      if (!plain && !jobspec::BelongsToMachine(variable.first) &&
          MatchesWildcard(variable.first, name)) {
        secrets.insert(variable);
      }
    }
  }
  if (missing.empty()) {
    KINETIC_RETURN_IF_ERROR(CheckValues(secrets));
    return secrets;
  }
  return Fail(ErrorCode::kInvalidArgument,
              "secrets: not set in the environment: " + Join(missing, ", "),
              "set the variables, or remove these secrets from the job");
}

std::vector<std::string> SecretWarnings(const JobSpec& spec,
                                        const std::map<std::string, std::string>& secrets) {
  constexpr std::size_t kMinMasked = 4;    // as in runner/log/redactor.cc
  constexpr std::size_t kMinCompared = 8;  // "main" and "true" are in many specs
  std::vector<std::string> warnings;
  const std::string stored = secrets.empty() ? std::string() : jobspec::ToValue(spec).ToJson();
  for (const auto& [name, value] : secrets) {
    const std::string json = Value(value).ToJson();
    const bool is_stored = stored.find(json.substr(1, json.size() - 2)) != std::string::npos;
    if (value.size() >= kMinCompared && is_stored)
      warnings.push_back(
          "the value of the secret " + Printable(name) +
          " is also in the command, arguments, or other keys of the job: it is stored "
          "with the job and shown; read it from the environment instead");
    if (value.size() >= kMinMasked) continue;
    warnings.push_back("the secret " + Printable(name) + " has fewer than " +
                       std::to_string(kMinMasked) +
                       " characters: it is not masked in the job's log");
  }
  for (const auto& pattern : spec.secrets) {
    const bool matches = std::ranges::any_of(
        secrets, [&](const auto& secret) { return MatchesWildcard(secret.first, pattern); });
    if (!matches) warnings.push_back("secrets: no environment variable matches " + pattern);
  }
  return warnings;
}

}  // namespace kinetic::job
