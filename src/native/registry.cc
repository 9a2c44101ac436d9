#include "native/registry.h"

#include "base/strings.h"

#include <algorithm>
#include <vector>

namespace kinetic::inline v0::native {
namespace {

/// The registration that was made last. Constant initialization: others are made before main().
constinit Registration* newest = nullptr;

template <typename Predicate>
const Registration* FindIf(Predicate predicate) {
  const Registration* each = newest;
  while (each != nullptr && !predicate(*each)) each = each->next;
  return each;
}

}  // namespace

Registration::Registration(const char* given_name, void (*address)(), Invoker given) noexcept
    : name(given_name), function(address), invoker(given), next(newest) {
  newest = this;
}

Registration::~Registration() {
  Registration** link = &newest;
  while (*link != nullptr && *link != this) link = &(*link)->next;
  if (*link == this) *link = next;
}

const Registration* FindByName(std::string_view name) {
  return FindIf([&](const Registration& each) { return name == each.name; });
}

const Registration* FindByAddress(void (*function)()) {
  return FindIf([&](const Registration& each) { return each.function == function; });
}

std::string ListFunctions() {
  std::vector<std::string> names;
  for (const Registration* each = newest; each != nullptr; each = each->next)
    names.emplace_back(each->name);
  std::ranges::sort(names);
  return names.empty() ? "no functions" : Join(names, ", ");
}

Status CheckNames() {
  for (const Registration* each = newest; each != nullptr; each = each->next) {
    const Registration* first = FindByName(each->name);
    if (first->function == each->function) continue;
    return Fail(ErrorCode::kInvalidArgument,
                std::string("two functions of this program are registered as ") + each->name,
                "rename one, or register them with their namespaces: KINETIC_FUNCTION(sim::Train)");
  }
  return {};
}

}  // namespace kinetic::inline v0::native
