#pragma once

#include "kinetic/result.h"

/// C++ functions from sources with compile options that a program may have.
namespace kinetic::test {

/// From a source with -fno-rtti: throws an exception of its own class.
int ThrowWithoutRtti(int number);
/// Throws the same exception, nested in another of its class.
int ThrowNestedWithoutRtti(int number);
/// From a source with -fno-rtti and -fno-exceptions.
Result<int> FailWithoutExceptions(int number);

}  // namespace kinetic::test
