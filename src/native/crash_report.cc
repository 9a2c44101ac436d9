#include "native/crash_report.h"

#include "native/exception.h"
#include "native/throw_trace.h"

#include <fmt/format.h>

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

namespace kinetic::inline v0::native {
namespace {

constexpr std::size_t kStackBytes = 512U << 10;
constexpr unsigned kMaxSeconds = 5;
constexpr std::size_t kMostFrames = 30;
constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

constinit std::atomic_flag is_reporting = ATOMIC_FLAG_INIT;
constinit ThrowTrace crash{};

/// Returns whether a fault is at the end of the stack.
bool IsStackOverflow(const siginfo_t& info, std::uintptr_t stack) {
  constexpr std::uintptr_t kNear = 64U << 10;
  const auto fault = reinterpret_cast<std::uintptr_t>(info.si_addr);
  return info.si_signo == SIGSEGV && info.si_code > 0 && fault + kNear > stack &&
         fault < stack + kNear;
}

void Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// Drops the frames of the signal handler. The first frame is then where the signal occurred.
std::span<const std::uintptr_t> FramesFrom(std::uintptr_t place) {
  const auto frames = crash.Addresses();
  const auto first = std::ranges::find(frames, place);
  return frames.subspan(first == frames.end() ? 0
                                              : static_cast<std::size_t>(first - frames.begin()));
}

void Report(const siginfo_t& info, std::uintptr_t place, std::uintptr_t stack) {
  const char* name = ::sigabbrev_np(info.si_signo);
  std::string text = fmt::format("SIG{}{}, most recent call first:\n", name,
                                 IsStackOverflow(info, stack) ? " (stack overflow)" : "");
  const auto frames = DescribeFrames(FramesFrom(place));
  for (const Frame& frame : std::span(frames).first(std::min(frames.size(), kMostFrames)))
    text += fmt::format("  {} in {}\n", frame.function, frame.file);
  if (frames.size() > kMostFrames) text += "  …\n";
  Write(text);
}

/// Reports in a child process, because the signal may have interrupted malloc, whose lock the report
/// would wait for without end.
void OnSignal(int signal, siginfo_t* info, void* context) {
  ::signal(signal, SIG_DFL);
  ::raise(signal);  // blocked until this function returns
  if (is_reporting.test_and_set()) return;
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  TraceStack(crash);
  // The function fork would call handlers of other libraries.
  const auto child = static_cast<pid_t>(::syscall(SYS_fork));
  if (child < 0) return;
  if (child > 0) {
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return;
  }
  ::signal(SIGALRM, SIG_DFL);
  sigset_t timer{};
  ::sigaddset(&timer, SIGALRM);
  ::sigprocmask(SIG_UNBLOCK, &timer, nullptr);
  ::alarm(kMaxSeconds);
  Report(*info, static_cast<std::uintptr_t>(registers[REG_RIP]),
         static_cast<std::uintptr_t>(registers[REG_RSP]));
  ::_exit(0);
}

}  // namespace

void StartCrashReports() {
  TraceStack(crash);  // loads the unwinder, which a signal handler may not
  void* const memory = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  const stack_t stack{.ss_sp = memory, .ss_flags = 0, .ss_size = kStackBytes};
  ::sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : kSignals) {
    struct sigaction current{};
    const bool is_free =
        ::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_DFL;
    if (is_free) ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace kinetic::inline v0::native
