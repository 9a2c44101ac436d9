#include "provision/join/sufficient_access.h"

#include <gtest/gtest.h>

namespace kinetic::provision {
namespace {

const SufficientRoles kPods{.roles = {"roles/storage.objectUser", "roles/storage.admin"},
                            .members = {"principal://pods", "serviceAccount:a@b"}};

bool Grants(std::string_view json) { return GrantsAny(*Value::FromJson(json), kPods); }

TEST(SufficientAccess, AnyRoleForAnyMember) {
  EXPECT_TRUE(
      Grants(R"({"bindings":[{"role":"roles/viewer","members":["principal://pods"]},)"
             R"({"role":"roles/storage.admin","members":["user:x","serviceAccount:a@b"]}]})"));
  EXPECT_FALSE(Grants(R"({"bindings":[{"role":"roles/storage.admin","members":["user:x"]},)"
                      R"({"role":"roles/viewer","members":["principal://pods"]}]})"));
}

TEST(SufficientAccess, ConditionsAreNotEvaluated) {
  EXPECT_TRUE(Grants(R"({"bindings":[{"role":"roles/storage.objectUser",)"
                     R"("members":["principal://pods"],"condition":{"title":"own folder"}}]})"));
}

TEST(SufficientAccess, OtherShapesGrantNothing) {
  EXPECT_FALSE(Grants("{}"));
  EXPECT_FALSE(Grants(R"({"bindings":{}})"));
  EXPECT_FALSE(
      Grants(R"({"bindings":[null,{"role":7},{"role":"roles/storage.admin","members":7}]})"));
}

}  // namespace
}  // namespace kinetic::provision
