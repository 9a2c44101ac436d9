#include "base/process/dynamic_library.h"

#include <dlfcn.h>

namespace kinetic {

DynamicLibrary::DynamicLibrary(const char* file) : handle_(::dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) RecordError();
}

void* DynamicLibrary::Symbol(const char* name) {
  if (handle_ == nullptr) return nullptr;
  void* found = ::dlsym(handle_, name);
  if (found == nullptr && problem_.empty()) RecordError();
  return found;
}

void DynamicLibrary::RecordError() {
  const char* words = ::dlerror();
  problem_ = words != nullptr ? words : "unknown error";
}

}  // namespace kinetic
