#include "kinetic/result.h"

#include "kinetic/exceptions.h"

#include <cstdlib>
#include <iostream>
#include <utility>

namespace kinetic::inline v0 {

void result::EndProgram(const char* call, const Error* error) {
  std::cerr << "kinetic: fatal: called " << call << " of a Result that contains ";
  if (error != nullptr)
    std::cerr << "an error: " << *error << '\n';
  else
    std::cerr << "no error; check it with 'if (!result)' first" << '\n';
  std::abort();
}

void result::Throw(Error error) { throw ErrorException(std::move(error)); }

}  // namespace kinetic::inline v0
