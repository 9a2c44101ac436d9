#include "kinetic/function.h"

#include "functions_with_flags.h"

#include <exception>
#include <stdexcept>
#include <string>

namespace kinetic::test {
namespace {

struct OwnError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace

int ThrowWithoutRtti(int number) { throw OwnError("number " + std::to_string(number)); }

int ThrowNestedWithoutRtti(int number) {
  try {
    return ThrowWithoutRtti(number);
  } catch (const OwnError&) {
    std::throw_with_nested(OwnError("outer"));
  }
}

}  // namespace kinetic::test

KINETIC_FUNCTION(kinetic::test::ThrowWithoutRtti);
KINETIC_FUNCTION(kinetic::test::ThrowNestedWithoutRtti);
