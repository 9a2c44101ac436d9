#include "native/registry.h"

#include "base/strings.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
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

/// Returns all functions, the newest first.
std::vector<Callable> All() {
  const std::lock_guard lock(mutex);
  std::vector<Callable> all;
  bool is_late = is_closed;
  for (const Registration* each = newest; each != nullptr; each = each->next) {
    if (each == newest_of_jobs) is_late = false;
    all.push_back({each->name, each->function, each->invoker, is_late});
  }
  return all;
}

template <typename Predicate>
std::optional<Callable> FindIf(const Predicate& predicate) {
  auto all = All();
  const auto found = std::ranges::find_if(all, predicate);
  return found == all.end() ? std::nullopt : std::optional(std::move(*found));
}

}  // namespace

Registration::Registration(const char* given_name, void (*address)(), Invoker given) noexcept
    : name(given_name), function(address), invoker(given) {
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

std::optional<Callable> FindByName(std::string_view name) {
  return FindIf([&](const Callable& each) { return name == each.name; });
}

std::optional<Callable> FindByAddress(void (*function)()) {
  return FindIf([&](const Callable& each) { return each.function == function; });
}

void CloseRegistry() {
  const std::lock_guard lock(mutex);
  if (std::exchange(is_closed, true)) return;
  newest_of_jobs = newest;
}

std::string ListFunctions() {
  std::vector<std::string> names;
  for (Callable& each : All()) names.push_back(std::move(each.name));
  constexpr std::size_t kMostListed = 10;
  std::ranges::sort(names);
  const bool has_more = names.size() > kMostListed;
  if (has_more) names.resize(kMostListed);
  return names.empty() ? "no functions" : Join(names, ", ") + (has_more ? ", …" : "");
}

Status CheckNames() {
  std::map<std::string, void (*)()> known;
  for (const Callable& each : All()) {
    const auto [first, is_new] = known.emplace(each.name, each.function);
    if (is_new || first->second == each.function) continue;
    return Fail(ErrorCode::kInvalidArgument,
                "two functions of this program are registered as " + each.name,
                "rename one, or register them with their namespaces: KINETIC_FUNCTION(sim::Train); "
                "declare a function in a header as inline");
  }
  return {};
}

}  // namespace kinetic::inline v0::native
