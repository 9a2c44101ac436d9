#include "store/turn.h"

#include "base/try.h"

#include <optional>
#include <utility>

namespace kinetic::store {
namespace {

constexpr std::string_view kHolder = "holder";

/// Another's turn, as one who waits for it sees it.
class OthersTurn {
 public:
  OthersTurn(Store& store, Clock& clock, const Turn::Party& party,
             std::chrono::milliseconds patience)
      : store_(store), clock_(clock), party_(party), patience_(patience) {}

  /// Whether it has come to its end.
  Result<bool> IsOver(const std::string& name, const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(const auto object, store_.Stat(name, stop));
    if (!object) return true;
    const bool renewed = !seen_ || seen_->generation != object->generation ||
                         seen_->metageneration != object->metageneration;
    if (renewed) {
      seen_ = object;
      since_ = clock_.Steady();
    }
    if (!HasEnded(*seen_) && clock_.Steady() - since_ < patience_) return false;
    KINETIC_RETURN_IF_ERROR(store_.RemoveIfUnchanged(*seen_, stop));
    return true;
  }

 private:
  bool HasEnded(const ObjectInfo& object) const {
    const auto holder = object.metadata.find(std::string(kHolder));
    return party_.is_gone && holder != object.metadata.end() && party_.is_gone(holder->second);
  }

  Store& store_;
  Clock& clock_;
  const Turn::Party& party_;
  const std::chrono::milliseconds patience_;
  std::optional<ObjectInfo> seen_;
  SteadyTime since_;
};

}  // namespace

Result<std::unique_ptr<Turn>> Turn::Take(Store& store, Clock& clock, std::string name,
                                         const Party& party, const Times& times,
                                         std::stop_token stop) {
  OthersTurn others(store, clock, party, times.patience);
  for (bool waited = false;;) {
    KINETIC_ASSIGN_OR_RETURN(const auto mine, PutBytes(store, name, {}, Precondition::Absent(),
                                                       stop, {{std::string(kHolder), party.name}}));
    if (mine) {
      return std::unique_ptr<Turn>(
          new Turn(store, clock, std::move(name), mine->generation, times.renewed));
    }
    if (!std::exchange(waited, true) && party.on_wait) party.on_wait();
    for (;;) {
      KINETIC_ASSIGN_OR_RETURN(const bool over, others.IsOver(name, stop));
      if (over) break;
      KINETIC_RETURN_IF_ERROR(clock.Sleep(times.looked_at, stop));
    }
  }
}

Turn::Turn(Store& store, Clock& clock, std::string name, std::int64_t generation,
           std::chrono::milliseconds renewed)
    : store_(store),
      clock_(clock),
      name_(std::move(name)),
      generation_(generation),
      renewed_(renewed),
      renewer_([this](const std::stop_token& stop) { Renew(stop); }) {}

Turn::~Turn() {
  renewer_.request_stop();
  renewer_.join();
  // A renewal that was cut off may have been one all the same.
  const auto object = store_.Stat(name_, {});
  if (!object || !*object || (*object)->generation != generation_) return;
  (void)store_.RemoveIfUnchanged(**object, {});
}

/// A store that is away for a moment is asked again at the next time.
void Turn::Renew(const std::stop_token& stop) {
  while (clock_.Sleep(renewed_, stop)) {
    const auto touched = store_.Touch(name_, {.lease = {}, .generation = generation_}, stop);
    if (touched && !*touched) return;  // another one has it
  }
}

}  // namespace kinetic::store
