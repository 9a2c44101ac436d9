#pragma once

#include "kinetic/value.h"

#include <initializer_list>
#include <string_view>

namespace kinetic::kube {

/// The value at a path of keys, or null: At(pod, {"status", "phase"}).
const Value* At(const Value& object, std::initializer_list<std::string_view> path);

/// The text at a path of keys; empty where there is none.
std::string_view TextAt(const Value& object, std::initializer_list<std::string_view> path);

std::string_view NameOf(const Value& object);
std::string_view NamespaceOf(const Value& object);
std::string_view UidOf(const Value& object);
std::string_view ResourceVersionOf(const Value& object);

}  // namespace kinetic::kube
