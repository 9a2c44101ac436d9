#pragma once

#include "kinetic/result.h"

/// Returns the error of `expr` from the enclosing function, if it has one.
#define CLI_RETURN_IF_ERROR(expr)                                                            \
  do {                                                                                       \
    if (auto cli_r_ = (expr); !cli_r_) return ::kinetic::Failure(std::move(cli_r_).error()); \
  } while (false)

#define CLI_CONCAT_INNER_(a, b) a##b
#define CLI_CONCAT_(a, b) CLI_CONCAT_INNER_(a, b)
#define CLI_ASSIGN_OR_RETURN_(tmp, decl, expr)                 \
  auto tmp = (expr);                                           \
  if (!tmp) return ::kinetic::Failure(std::move(tmp).error()); \
  decl = *std::move(tmp)

/// Declares or assigns `decl` from the value of `expr`, or returns its error.
#define CLI_ASSIGN_OR_RETURN(decl, expr) \
  CLI_ASSIGN_OR_RETURN_(CLI_CONCAT_(cli_r_, __COUNTER__), decl, expr)
