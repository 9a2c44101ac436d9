#include "kube/object.h"

#include <gtest/gtest.h>

namespace kinetic::kube {
namespace {

TEST(ManagedFields, AreEmptied) {
  EXPECT_EQ(WithoutManagedFields(
                R"({"a":1,"managedFields":[{"f":{"k:{\"a\":\"]\"}":[[],"\\"]}}],"b":[2]})"),
            R"({"a":1,"managedFields":[],"b":[2]})");
  EXPECT_EQ(WithoutManagedFields(R"([{"managedFields":[1]},{"managedFields":[]}])"),
            R"([{"managedFields":[]},{"managedFields":[]}])");
}

TEST(ManagedFields, KeepsOtherText) {
  for (const char* json : {"", "{}", R"({"a":"\"managedFields\":[1]"})",
                           R"({"\"managedFields":[1]})", R"({"managedFields":{"a":[1]}})",
                           R"({"managedFields":[1,"])", R"({"managedFields":null})"}) {
    EXPECT_EQ(WithoutManagedFields(json), json);
  }
}

}  // namespace
}  // namespace kinetic::kube
