#include "native/registry.h"

#include "base/strings.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace kinetic::inline v0::native {
namespace {

constinit std::mutex mutex;  // libraries can be loaded and unloaded at any time
/// The registration that was made last. Constant initialization: others are made before main().
constinit Registration* newest = nullptr;
/// The newest registration when the registry was closed.
constinit const Registration* newest_of_jobs = nullptr;
constinit bool is_closed = false;

/// Returns all registrations, the newest first.
std::vector<const Registration*> All() {
  const std::lock_guard lock(mutex);
  std::vector<const Registration*> all;
  for (const Registration* each = newest; each != nullptr; each = each->next) all.push_back(each);
  return all;
}

template <typename Predicate>
const Registration* FindIf(Predicate predicate) {
  const auto all = All();
  const auto found = std::ranges::find_if(all, predicate);
  return found == all.end() ? nullptr : *found;
}

}  // namespace

Registration::Registration(const char* given_name, void (*address)(), Invoker given) noexcept
    : name(given_name), function(address), invoker(given), next(nullptr) {
  const std::lock_guard lock(mutex);
  next = std::exchange(newest, this);
}

Registration::~Registration() {
  const std::lock_guard lock(mutex);
  if (newest_of_jobs == this) newest_of_jobs = next;
  Registration** link = &newest;
  while (*link != nullptr && *link != this) link = &(*link)->next;
  if (*link == this) *link = next;
}

const Registration* FindByName(std::string_view name) {
  return FindIf([&](const Registration* each) { return name == each->name; });
}

const Registration* FindByAddress(void (*function)()) {
  return FindIf([&](const Registration* each) { return each->function == function; });
}

void CloseRegistry() {
  const std::lock_guard lock(mutex);
  if (std::exchange(is_closed, true)) return;
  newest_of_jobs = newest;
}

bool IsLate(const Registration& registration) {
  const std::lock_guard lock(mutex);
  if (!is_closed) return false;
  const Registration* each = newest;
  while (each != newest_of_jobs && each != &registration) each = each->next;
  return each != newest_of_jobs;
}

std::string ListFunctions() {
  std::vector<std::string> names;
  for (const Registration* each : All()) names.emplace_back(each->name);
  constexpr std::size_t kMostListed = 10;
  std::ranges::sort(names);
  const bool has_more = names.size() > kMostListed;
  if (has_more) names.resize(kMostListed);
  return names.empty() ? "no functions" : Join(names, ", ") + (has_more ? ", …" : "");
}

Status CheckNames() {
  for (const Registration* each : All()) {
    const Registration* first = FindByName(each->name);
    if (first->function == each->function) continue;
    return Fail(ErrorCode::kInvalidArgument,
                std::string("two functions of this program are registered as ") + each->name,
                "rename one, or register them with their namespaces: KINETIC_FUNCTION(sim::Train)");
  }
  return {};
}

}  // namespace kinetic::inline v0::native
