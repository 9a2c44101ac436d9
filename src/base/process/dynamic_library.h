#pragma once

#include <string>

namespace kinetic {

/// A shared library that is loaded when it is first needed, so that programs start without it and
/// its dependencies. It is never unloaded.
class DynamicLibrary {
 public:
  /// @param file  "libcurl.so.4".
  explicit DynamicLibrary(const char* file);

  /// Sets `function` to the library's function `name`, or to null.
  template <typename Function>
  void Find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(Symbol(name));
  }

  /// Returns the loader's message about the library or the first missing function; otherwise an
  /// empty text.
  const std::string& problem() const { return problem_; }

 private:
  void* Symbol(const char* name);
  void RecordError();

  void* handle_;
  std::string problem_;
};

}  // namespace kinetic
