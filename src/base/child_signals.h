#pragma once

#include <signal.h>

namespace kinetic {

/// Between fork and exec: whatever the program that uses the library has set, its child begins with
/// no signal blocked and every signal at its default. Calls nothing that is unsafe there.
inline void ResetSignals() {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace kinetic
