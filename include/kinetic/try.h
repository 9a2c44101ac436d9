#pragma once

#include "kinetic/result.h"

#define KINETIC_CONCAT_INNER_(a, b) a##b
#define KINETIC_CONCAT_(a, b) KINETIC_CONCAT_INNER_(a, b)

/// Returns from the enclosing function if `expr` is an error.
#define KINETIC_RETURN_IF_ERROR(expr)                           \
  do {                                                          \
    if (auto kinetic_r_ = (expr); !kinetic_r_)                  \
      return ::kinetic::Failure(std::move(kinetic_r_).error()); \
  } while (false)

#define KINETIC_ASSIGN_OR_RETURN_(tmp, decl, expr)             \
  auto tmp = (expr);                                           \
  if (!tmp) return ::kinetic::Failure(std::move(tmp).error()); \
  decl = *std::move(tmp)

/// Declares or assigns `decl` from the value of `expr`, or returns its error.
#define KINETIC_ASSIGN_OR_RETURN(decl, expr) \
  KINETIC_ASSIGN_OR_RETURN_(KINETIC_CONCAT_(kinetic_r_, __LINE__), decl, expr)
