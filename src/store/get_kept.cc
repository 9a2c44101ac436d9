#include "store/get_kept.h"

#include "base/parallel.h"
#include "base/try.h"

#include <chrono>

namespace kinetic::store {
namespace {

/// A lease younger than this needs no touch: it is left alone for another day at least.
constexpr std::chrono::hours kFreshLease{24 * 6};

Status RenewLease(Store& store, const ObjectInfo& object, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store.Now(stop));
  if (now - object.lease <= kFreshLease) return {};
  KINETIC_RETURN_IF_ERROR(store.Touch(object.name, {}, stop));
  return {};
}

}  // namespace

Result<std::optional<std::string>> GetKept(Store& store, std::string_view name,
                                           std::uint64_t limit_bytes, std::stop_token stop) {
  std::optional<std::string> bytes;
  std::optional<ObjectInfo> info;
  constexpr std::size_t kBoth = 2;
  const auto ask = [&](std::size_t part, const std::stop_token& stopping) -> Status {
    if (part == 0) {
      KINETIC_ASSIGN_OR_RETURN(bytes, GetBytes(store, name, stopping, limit_bytes));
    } else {
      KINETIC_ASSIGN_OR_RETURN(info, store.Stat(name, stopping));
    }
    return {};
  };
  KINETIC_RETURN_IF_ERROR(Parallel(kBoth, kBoth, stop, ask));
  if (bytes && info) KINETIC_RETURN_IF_ERROR(RenewLease(store, *info, stop));
  return bytes;
}

}  // namespace kinetic::store
