#include "native/throw_trace.h"

#include "kinetic/export.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <typeinfo>

namespace kinetic::inline v0::native {
namespace {

using ThrowFunction = void (*)(void*, std::type_info*, void (*)(void*));

constexpr std::size_t kMaxTraces = 16;

constinit std::atomic<bool> is_recording = false;
constinit std::mutex mutex;
constinit std::array<ThrowTrace, kMaxTraces> traces{};  // guarded by mutex
constinit std::size_t next_trace = 0;                   // guarded by mutex

_Unwind_Reason_Code AddFrame(_Unwind_Context* context, void* trace) {
  auto& into = *static_cast<ThrowTrace*>(trace);
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (into.count == into.addresses.size() || address == 0) return _URC_END_OF_STACK;
  into.addresses[into.count++] = address;
  return _URC_NO_REASON;
}

void Record(const void* exception) {
  const std::lock_guard lock(mutex);
  ThrowTrace& trace = traces[next_trace++ % kMaxTraces];
  trace.exception = exception;
  TraceStack(trace);
}

}  // namespace

void TraceStack(ThrowTrace& trace) {
  trace.count = 0;
  _Unwind_Backtrace(AddFrame, &trace);
}

void StartThrowTraces() { is_recording = true; }

ThrowTrace FindThrowTrace(const void* exception) {
  const std::lock_guard lock(mutex);
  for (std::size_t back = 1; back <= std::min(next_trace, kMaxTraces); ++back) {
    const ThrowTrace& trace = traces[(next_trace - back) % kMaxTraces];
    if (trace.exception == exception) return trace;  // memory is reused: the newest one counts
  }
  return {};
}

}  // namespace kinetic::inline v0::native

/// Replaces the function of the C++ runtime that `throw` calls. Weak, so that a program that contains
/// the C++ runtime uses the original.
extern "C" KINETIC_EXPORT __attribute__((weak, noreturn)) void __cxa_throw(
    void* exception, std::type_info* type, void (*destructor)(void*)) {
  static const auto kOriginal =
      reinterpret_cast<kinetic::native::ThrowFunction>(::dlsym(RTLD_NEXT, "__cxa_throw"));
  if (kinetic::native::is_recording) kinetic::native::Record(exception);
  if (kOriginal != nullptr) kOriginal(exception, type, destructor);
  std::abort();
}
