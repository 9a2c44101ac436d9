#pragma once

#include "kinetic/result.h"

#define KINETIC_CONCAT_INNER_(a, b) a##b
#define KINETIC_CONCAT_(a, b) KINETIC_CONCAT_INNER_(a, b)

// Removes the parentheses around a macro's argument, if there are any.
#define KINETIC_WITHOUT_PARENS_(decl) KINETIC_WITHOUT_MARK_(KINETIC_MARK_ decl)
#define KINETIC_MARK_(...) KINETIC_MARK_ __VA_ARGS__
#define KINETIC_WITHOUT_MARK_(...) KINETIC_WITHOUT_MARK_INNER_(__VA_ARGS__)
#define KINETIC_WITHOUT_MARK_INNER_(...) KINETIC_REMOVE_##__VA_ARGS__
#define KINETIC_REMOVE_KINETIC_MARK_

/// Returns from the enclosing function if an expression is an error.
#define KINETIC_RETURN_IF_ERROR(...)                            \
  do {                                                          \
    if (auto kinetic_r_ = (__VA_ARGS__); !kinetic_r_)           \
      return ::kinetic::Failure(std::move(kinetic_r_).error()); \
  } while (false)

#define KINETIC_ASSIGN_OR_RETURN_(tmp, decl, ...)              \
  auto tmp = (__VA_ARGS__);                                    \
  if (!tmp) return ::kinetic::Failure(std::move(tmp).error()); \
  KINETIC_WITHOUT_PARENS_(decl) = *std::move(tmp)

/// Declares or assigns `decl` from the value of an expression, or returns its error. A declaration
/// with a comma needs parentheses: `KINETIC_ASSIGN_OR_RETURN((auto [name, size]), Read(file))`.
#define KINETIC_ASSIGN_OR_RETURN(decl, ...) \
  KINETIC_ASSIGN_OR_RETURN_(KINETIC_CONCAT_(kinetic_r_, __COUNTER__), decl, __VA_ARGS__)
