#include "gc_content.h"
#include "gc_world.h"
#include "store/source.h"

#include <algorithm>
#include <array>

namespace kinetic::test {

namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr hours kLifecycle{90 * 24};

}  // namespace

hours GcWorld::SomeThreshold() {
  static constexpr std::array kThresholds{bundle::kTouchAfter, bundle::kReuseFor,
                                          bundle::kCollectAfter};
  return kThresholds.at(static_cast<std::size_t>(Pick(kThresholds.size())));
}

/// Jumps to within a few hours of the moment at which an object becomes too old.
void GcWorld::JumpNearThreshold() {
  const auto objects = store_.Objects();
  if (objects.empty()) return;
  const auto& chosen = *std::next(objects.begin(), Pick(static_cast<int>(objects.size())));
  const WallTime moment = chosen.second.lease + SomeThreshold() + minutes(Pick(480) - 360);
  const auto ahead = moment - clock_.Now();
  if (ahead > minutes(0) && ahead < hours(12 * 24)) clock_.Jump(ahead);
}

/// Usually a small step. Sometimes a machine sleeps for days, or a clock is set back by hours in
/// total.
void GcWorld::JumpClock() {
  const int kind = Pick(12);
  if (calm_) return clock_.Jump(minutes(1 + Pick(60)));
  if (kind >= 10) return JumpNearThreshold();
  if (kind < 6) return clock_.Jump(minutes(1 + Pick(300)));
  if (kind < 9) return clock_.Jump(hours(Pick(12 * 24)));
  const hours back{Pick(6)};
  if (set_back_ + back > hours(10)) return;
  set_back_ += back;
  clock_.Jump(-back);
}

void GcWorld::ApplyLifecycle() {
  // The rule keeps needed objects as long as collections run regularly, as it requires.
  if (clock_.Now() - last_collection_ > hours(50 * 24)) return;
  for (const auto& [name, info] : store_.Objects()) {
    if (name.starts_with("jobs/") || clock_.Now() - info.lease <= kLifecycle) continue;
    Note("lifecycle " + name.substr(0, 12));
    store_.Drop(name);
  }
}

/// Often close to the moment at which an object becomes too old.
WallTime GcWorld::SomeTimeAgo() {
  const auto age =
      Pick(2) == 0 ? minutes(Pick(12 * 24 * 60)) : SomeThreshold() + minutes(Pick(240) - 120);
  return clock_.Now() - age;
}

/// Creates the result of earlier submissions. A tree is never newer than its objects, and an old
/// one may have lost some.
void GcWorld::MakePast() {
  const auto put = [&](const std::string& name, std::string_view content, WallTime lease) {
    store::BytesSource source(content);
    (void)store_.Put(name, source, store::Precondition::Absent(), {.metadata = {}, .lease = lease},
                     {});
  };
  std::array<WallTime, kPacks> packs;
  for (int pack = 0; pack < kPacks; ++pack) {
    auto& lease = packs.at(static_cast<std::size_t>(pack)) = SomeTimeAgo();
    if (clock_.Now() - lease < bundle::kCollectAfter || Pick(2) == 0) {
      put(PackName(pack), "content", lease);
    }
  }
  for (int tree = 0; tree < kTrees; ++tree) {
    if (Pick(2) == 0) continue;
    const int one = Pick(kPacks);
    const int other = Pick(kPacks);
    std::string body = std::to_string(one);
    if (other != one) body += std::to_string(other);
    put(TreeName(tree), body + "|-",
        std::min(packs.at(static_cast<std::size_t>(one)),
                 packs.at(static_cast<std::size_t>(other))));
  }
}

}  // namespace kinetic::test
