#include "commands/system/health_output.h"

#include "context.h"
#include "documents.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

Role RoleOf(Health health) {
  if (health == Health::kGood) return Role::kGood;
  return health == Health::kWarning ? Role::kWarning : Role::kBad;
}

Value Document(const HealthCheck& check) {
  return Value::Map{{"name", check.name},
                    {"state", std::string(Name(check.health))},
                    {"evidence", check.evidence},
                    {"advice", TextOrNull(check.advice)},
                    {"version", TextOrNull(check.version)},
                    {"path", TextOrNull(check.path)}};
}

StyledLine LineOf(const HealthCheck& check) {
  constexpr std::size_t kStateColumns = 9;
  constexpr std::size_t kNameColumns = 19;
  StyledLine line(fmt::format("{:<{}}", Name(check.health), kStateColumns), RoleOf(check.health));
  line.Add(fmt::format("{:<{}}{}", check.name, kNameColumns, check.evidence));
  if (!check.advice.empty()) line.Add("; " + check.advice, Role::kHint);
  return line;
}

}  // namespace

int ShowHealth(const std::vector<HealthCheck>& checks, Value document, Context& context) {
  const bool failed = std::any_of(checks.begin(), checks.end(), [](const HealthCheck& check) {
    return check.health == Health::kFailed;
  });
  Value::List list;
  for (const HealthCheck& check : checks) {
    context.output.Line(LineOf(check));
    list.push_back(Document(check));
  }
  document.Set("checks", std::move(list));
  if (context.output.IsJson()) context.output.Document(document);
  return failed ? kCheckFailed : kSuccess;
}

}  // namespace kinetic::cli
