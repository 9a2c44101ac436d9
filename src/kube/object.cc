#include "kube/object.h"

namespace kinetic::kube {

const Value* At(const Value& object, std::initializer_list<std::string_view> path) {
  const Value* found = &object;
  for (const std::string_view key : path) {
    found = found->Find(key);
    if (found == nullptr) return nullptr;
  }
  return found;
}

std::string_view TextAt(const Value& object, std::initializer_list<std::string_view> path) {
  const Value* found = At(object, path);
  if (found == nullptr || found->AsString() == nullptr) return {};
  return *found->AsString();
}

std::string_view NameOf(const Value& object) { return TextAt(object, {"metadata", "name"}); }

std::string_view NamespaceOf(const Value& object) {
  return TextAt(object, {"metadata", "namespace"});
}

std::string_view UidOf(const Value& object) { return TextAt(object, {"metadata", "uid"}); }

std::string_view ResourceVersionOf(const Value& object) {
  return TextAt(object, {"metadata", "resourceVersion"});
}

}  // namespace kinetic::kube
