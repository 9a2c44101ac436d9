#include "kinetic/function.h"

#include "functions_with_flags.h"

namespace kinetic::test {

Result<int> FailWithoutExceptions(int number) {
  if (number > 0) return number;
  return Fail(ErrorCode::kNotFound, "no such number", "pass a positive number");
}

}  // namespace kinetic::test

KINETIC_FUNCTION(kinetic::test::FailWithoutExceptions);
