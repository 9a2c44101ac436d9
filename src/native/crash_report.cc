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
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::inline v0::native {
namespace {

constexpr std::size_t kStackBytes = 512U << 10;
constexpr unsigned kMaxSeconds = 5;
constexpr std::size_t kMostLines = 30;
constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

constinit std::atomic_flag is_reporting = ATOMIC_FLAG_INIT;
constinit ThrowTrace crash{};
constinit pid_t process = 0;  ///< the one that reports; its forks do not

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

/// Returns return addresses, beginning where the signal occurred. DescribeFrames describes the byte
/// before each, which is part of the call.
std::vector<std::uintptr_t> AddressesFrom(const ucontext_t& context) {
  TraceStack(crash);
  const auto place = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  const auto all = crash.Addresses();
  const auto first = std::ranges::find(all, place);
  std::vector<std::uintptr_t> addresses(first, all.end());
  if (!addresses.empty()) {
    ++addresses.front();  // the instruction itself
  } else {
    // After a call of a null pointer, only the return address is known.
    const auto stack = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the register contains an address
    addresses.push_back(*reinterpret_cast<const std::uintptr_t*>(stack));
  }
  return addresses;
}

std::string FormatFrames(std::span<const Frame> frames) {
  std::string text;
  for (std::size_t first = 0, lines = 0; first < frames.size(); ++lines) {
    if (lines == kMostLines) return text + "  …\n";
    const auto is_same = [&](const Frame& frame) {
      return frame.function == frames[first].function && frame.file == frames[first].file;
    };
    const auto rest = frames.subspan(first);
    const auto count =
        static_cast<std::size_t>(std::ranges::find_if_not(rest, is_same) - rest.begin());
    text += fmt::format("  {} in {}", rest.front().function, rest.front().file);
    text += count > 1 ? fmt::format(" ({} times)\n", count) : "\n";
    first += count;
  }
  return text;
}

void Report(const siginfo_t& info, const ucontext_t& context) {
  const auto& registers = context.uc_mcontext.gregs;
  const bool overflow = IsStackOverflow(info, static_cast<std::uintptr_t>(registers[REG_RSP]));
  Write(fmt::format("SIG{}{}, most recent call first:\n", ::sigabbrev_np(info.si_signo),
                    overflow ? " (stack overflow)" : ""));
  Write(FormatFrames(DescribeFrames(AddressesFrom(context))));
}

/// Ends this process if the report takes too long, or fails because of damaged memory.
void LimitReport() {
  for (const int signal : kSignals) ::signal(signal, SIG_DFL);
  ::signal(SIGALRM, SIG_DFL);
  sigset_t timer{};
  ::sigaddset(&timer, SIGALRM);
  ::sigprocmask(SIG_UNBLOCK, &timer, nullptr);
  ::alarm(kMaxSeconds);
}

/// Reports in a child process, because memory may be damaged. The signal may also have interrupted
/// malloc, so that the report would wait forever for its lock.
void OnSignal(int signal, siginfo_t* info, void* context) {
  const bool is_fork = ::getpid() != process;
  // The report of another thread ends the process.
  if (!is_fork && is_reporting.test_and_set()) {
    for (;;) ::pause();
  }
  // The function fork would call handlers of other libraries.
  const auto child = is_fork ? -1 : static_cast<pid_t>(::syscall(SYS_fork));
  if (child == 0) {
    LimitReport();
    Report(*info, *static_cast<const ucontext_t*>(context));
    ::_exit(0);
  }
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);  // blocked until this function returns
}

}  // namespace

void StartCrashReports() {
  process = ::getpid();
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
