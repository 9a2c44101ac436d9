#pragma once

#include "kinetic/accelerator.h"
#include "kinetic/value.h"

#include <gtest/gtest.h>

#include <string_view>

namespace kinetic::backend {

inline Value Json(std::string_view text) {
  auto value = Value::FromJson(text);
  EXPECT_TRUE(value) << (value ? "" : value.error().message) << "\n" << text;
  return value.value_or(Value());
}

inline Accelerator AcceleratorNamed(std::string_view name) {
  const auto accelerator = ParseAccelerator(name);
  EXPECT_TRUE(accelerator) << name;
  return accelerator.value_or(Accelerator{});
}

}  // namespace kinetic::backend
