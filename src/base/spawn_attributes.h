#pragma once

#include <signal.h>
#include <spawn.h>

namespace kinetic {

/// The two objects that posix_spawn takes, released with this one. The child begins with no signal
/// blocked and every signal at its default, whatever the program that uses the library has set.
class SpawnAttributes {
 public:
  /// @param flags  what is wanted beside the signals: POSIX_SPAWN_SETPGROUP, POSIX_SPAWN_SETSID.
  explicit SpawnAttributes(int flags) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    constexpr int kSignals = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags | kSignals));
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  posix_spawn_file_actions_t* actions() { return &actions_; }
  posix_spawnattr_t* attributes() { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace kinetic
