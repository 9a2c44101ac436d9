#include "native/throw_trace.h"

#include "native/import_patch.h"

#include <dlfcn.h>
#include <unwind.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <typeinfo>

namespace kinetic::inline v0::native {
namespace {

using ThrowFunction = void (*)(void*, std::type_info*, void (*)(void*));

constexpr std::size_t kMaxTraces = 16;

constinit ThrowFunction original_throw = nullptr;
constinit std::mutex traces_mutex;
constinit std::array<ThrowTrace, kMaxTraces> traces{};  // guarded by traces_mutex
constinit std::size_t next_trace = 0;                   // guarded by traces_mutex

_Unwind_Reason_Code AddFrame(_Unwind_Context* context, void* trace) {
  auto& into = *static_cast<ThrowTrace*>(trace);
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (into.count == into.addresses.size() || address == 0) return _URC_END_OF_STACK;
  into.addresses[into.count++] = address;
  return _URC_NO_REASON;
}

void Record(const void* exception) {
  const std::lock_guard lock(traces_mutex);
  ThrowTrace& trace = traces[next_trace++ % kMaxTraces];
  trace.exception = exception;
  TraceStack(trace);
}

/// Is called by throw expressions instead of the function of the C++ runtime.
[[noreturn]] void RecordAndThrow(void* exception, std::type_info* type, void (*destructor)(void*)) {
  Record(exception);
  original_throw(exception, type, destructor);
  std::abort();  // not reached
}

}  // namespace

void TraceStack(ThrowTrace& trace) {
  trace.count = 0;
  _Unwind_Backtrace(AddFrame, &trace);
}

void StartThrowTraces() {
  original_throw = reinterpret_cast<ThrowFunction>(::dlsym(RTLD_DEFAULT, "__cxa_throw"));
  if (original_throw != nullptr)
    ReplaceImport("__cxa_throw", reinterpret_cast<void (*)()>(&RecordAndThrow));
}

ThrowTrace FindThrowTrace(const void* exception) {
  const std::lock_guard lock(traces_mutex);
  for (std::size_t back = 1; back <= std::min(next_trace, kMaxTraces); ++back) {
    const ThrowTrace& trace = traces[(next_trace - back) % kMaxTraces];
    if (trace.exception == exception) return trace;  // memory is reused: the newest one counts
  }
  return {};
}

}  // namespace kinetic::inline v0::native
