#include "native/exception.h"

#include "kinetic/exceptions.h"

#include "base/strings.h"
#include "native/symbols.h"
#include "native/throw_trace.h"

#include <fmt/format.h>

#include <cxxabi.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::inline v0::native {
namespace {

constexpr std::size_t kMaxMessageBytes = 64U << 10;
constexpr std::size_t kMaxNameBytes = 1000;
constexpr int kMaxCauses = 20;
/// In the names of the functions that call the user's function.
constexpr std::string_view kCallers = "kinetic::native::";

std::string Cut(std::string_view text, std::size_t limit) {
  if (!IsUtf8(text)) return Printable(text.substr(0, limit));
  if (text.size() <= limit) return std::string(text);
  std::string_view cut = text.substr(0, limit);
  while (!IsUtf8(cut)) cut.remove_suffix(1);
  return fmt::format("{}… ({} more bytes)", cut, text.size() - cut.size());
}

/// Returns the address of the exception object that is being handled.
const void* CurrentObject() {
  const std::exception_ptr current = std::current_exception();
  const void* object = nullptr;
  static_assert(sizeof current == sizeof object);  // a pointer to the object, in all C++ runtimes
  const void* const source = &current;
  std::memcpy(static_cast<void*>(&object), source, sizeof object);
  return object;
}

Frame FrameOf(const CodePlace& place) {
  return {.file = place.file.filename().native(),
          .line = 0,
          .function = place.function.empty() ? fmt::format("{:#x}", place.offset)
                                             : Cut(place.function, kMaxNameBytes),
          .code = {}};
}

/// Returns the functions from the user's to the one that threw.
std::vector<Frame> TracebackOf(const void* exception) {
  const ThrowTrace trace = FindThrowTrace(exception);
  std::vector<Frame> frames = DescribeFrames(trace.Addresses());
  std::ranges::reverse(frames);
  return frames;
}

std::string TextOf(const Error& error) {
  return fmt::format("{}: {}{}{}", Name(error.code), error.message,
                     error.hint.empty() ? "" : "\nhint: ", error.hint);
}

RemoteException Describe(int depth);

/// Returns the exception that is nested in the current one, or null. Finds it without dynamic_cast,
/// which fails for a class of a program that was compiled with -fno-rtti.
std::exception_ptr NestedInCurrent() {
  try {
    throw;
  } catch (const std::nested_exception& outer) {
    return outer.nested_ptr();
  } catch (...) {
    return nullptr;
  }
}

void AddCause(RemoteException& described, int depth) {
  const std::exception_ptr nested = depth < kMaxCauses ? NestedInCurrent() : nullptr;
  if (nested == nullptr) return;
  try {
    std::rethrow_exception(nested);
  } catch (...) {
    described.relation = "cause";
    described.cause = std::make_shared<const RemoteException>(Describe(depth + 1));
  }
}

/// Returns the name of the current exception's type, without what std::throw_with_nested adds.
std::string TypeName() {
  constexpr std::string_view kNested = "std::_Nested_exception<";
  const std::type_info* type = abi::__cxa_current_exception_type();
  std::string name = type == nullptr ? "unknown" : Demangle(type->name());
  if (name.starts_with(kNested) && name.ends_with('>'))
    name = name.substr(kNested.size(), name.size() - kNested.size() - 1);
  return name;
}

RemoteException Describe(int depth) {
  RemoteException described;
  described.type = TypeName();
  described.traceback = TracebackOf(CurrentObject());
  try {
    throw;
  } catch (const ErrorException& failed) {
    described.message = Cut(TextOf(failed.error()), kMaxMessageBytes);
  } catch (const std::exception& error) {
    described.message = Cut(error.what(), kMaxMessageBytes);
  } catch (const std::string& text) {
    described.message = Cut(text, kMaxMessageBytes);
  } catch (const char* text) {
    described.message = Cut(text, kMaxMessageBytes);
  } catch (int number) {
    described.message = std::to_string(number);
  } catch (...) {
    described.message = "not a std::exception";
  }
  AddCause(described, depth);
  return described;
}

}  // namespace

RemoteException DescribeException() { return Describe(0); }

std::vector<Frame> DescribeFrames(std::span<const std::uintptr_t> addresses) {
  Symbolizer symbolizer(PosixFileSystem());
  std::vector<Frame> frames;
  for (const std::uintptr_t address : addresses) {
    // A return address may be that of the next function.
    frames.push_back(FrameOf(symbolizer.Find(address - 1)));
    if (frames.back().function.find(kCallers) == std::string::npos) continue;
    frames.pop_back();
    if (!frames.empty()) break;
  }
  return frames;
}

}  // namespace kinetic::inline v0::native
