#pragma once

#include <cstddef>

namespace kinetic::inline v0::native {

/// Makes all loaded libraries and the program call another function instead of the imported function
/// `name`. Calls inside of the library that defines it, and of libraries that are loaded later, do not
/// change.
///
/// @return  the number of places that were changed.
std::size_t ReplaceImport(const char* name, void (*replacement)());

}  // namespace kinetic::inline v0::native
