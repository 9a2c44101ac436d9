#include "job/submit/secrets.h"

#include "base/strings.h"

#include <algorithm>

namespace kinetic::job {

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
      const bool own =
          variable.first.starts_with("KINETIC_");  // kinetic's settings, including tokens
      if (!plain && !own && MatchesWildcard(variable.first, name)) secrets.insert(variable);
    }
  }
  if (missing.empty()) return secrets;
  return Fail(ErrorCode::kInvalidArgument,
              "secrets: not set in the environment: " + Join(missing, ", "),
              "set the variables, or remove them from `secrets:`");
}

}  // namespace kinetic::job
