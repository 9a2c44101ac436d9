#include "provision/user.h"

#include "provision/policy.h"
#include "provision/resources/access.h"
#include "provision/shutdown/grant.h"
#include "provision/shutdown/objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kinetic::provision {
namespace {

using testing::HasSubstr;

const Scope kScope{
    .project = "p", .project_number = "123", .zone = "us-west4-a", .name = "kinetic"};

TEST(User, EmailAddresses) {
  for (const char* email : {"ana@example.com", "a.n-a_1+x@sub.example.org"})
    EXPECT_TRUE(IsEmail(email)) << email;
  for (const char* text :
       {"", "ana", "ana@", "@example.com", "ana@example", "ana@example..com", "ana/b@example.com",
        "ana@example.com/", "ana@exa/mple.com", "..@example.com", "a na@example.com",
        "ana@b@example.com", "an\xc3\xa4@example.com", "*@example.com"})
    EXPECT_FALSE(IsEmail(text)) << text;
}

TEST(User, NamesOfWhatBelongsToAUser) {
  EXPECT_EQ(UserNamespace(kScope, "Ana.Smith-2@example.com"), "kinetic-anasmith2");
  EXPECT_EQ(UserFolder("ana@example.com"), "users/ana@example.com/");
  EXPECT_EQ(UserMember("ana@example.com"), "user:ana@example.com");
  EXPECT_EQ(UserMember("ci@p.iam.gserviceaccount.com"),
            "serviceAccount:ci@p.iam.gserviceaccount.com");
}

TEST(User, ProfileHasNoRepositoryThatUsersShare) {
  const Profile profile =
      UserProfile(kScope, "ana@example.com", "host/p/kinetic/runner:1@sha256:0");
  EXPECT_EQ(profile.store, "gs://p-kinetic/users/ana@example.com");
  EXPECT_EQ(profile.kubernetes.name_space, "kinetic-ana");
  EXPECT_EQ(profile.kubernetes.service_account, "jobs");
  EXPECT_EQ(profile.kubernetes.runner_image, "host/p/kinetic/runner:1@sha256:0");
  EXPECT_EQ(profile.kubernetes.environment_images, "");
}

TEST(User, NamespacesMustDiffer) {
  EXPECT_TRUE(CheckUsers("kinetic", {"ana@example.com", "bo@example.com", "ana@example.com"}));
  const auto same = CheckUsers("kinetic", {"ana.b@example.com", "anab@example.com"});
  ASSERT_FALSE(same);
  EXPECT_EQ(same.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(same.error().message,
              HasSubstr("users ana.b@example.com and anab@example.com would have the same"));
  EXPECT_FALSE(CheckUsers("kinetic", {"ana"}));
  EXPECT_TRUE(CheckUsers("kinetic", {std::string(38, 'a') + "@example.com"}));
  EXPECT_FALSE(CheckUsers("kinetic", {std::string(39, 'a') + "@example.com"}));
}

TEST(User, PodsOfEachNamespaceHaveTheirOwnPrincipal) {
  EXPECT_THAT(kScope.PodPrincipal("kinetic-ana"),
              testing::EndsWith("/subject/ns/kinetic-ana/sa/jobs"));
  EXPECT_THAT(kScope.PodPrincipal(), testing::EndsWith("/subject/ns/kinetic/sa/kinetic-jobs"));
}

TEST(User, ClustersOfAProjectShareNoPrincipal) {
  Scope other = kScope;
  other.name = "team";
  EXPECT_NE(kScope.PodPrincipal(), other.PodPrincipal());
  EXPECT_NE(kScope.PodPrincipal(UserNamespace(kScope, "ana@example.com")),
            other.PodPrincipal(UserNamespace(other, "ana@example.com")));
  EXPECT_NE(ShutdownDeletes(kScope).grants.front().member,
            ShutdownDeletes(other).grants.front().member);
}

TEST(User, NamespaceOfTheShutdownBelongsToNoUser) {
  EXPECT_EQ(UserNamespace(kScope, "shutdown@example.com"), kShutdownNamespace);
  const auto refused = CheckUsers("kinetic", {"Shut.down@example.com"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(CheckUsers("team", {"shutdown@example.com"}));
}

TEST(Policy, PathOfAManagedFolder) {
  EXPECT_EQ(FolderPolicy("b", "users/ana@example.com/").write.path,
            "/storage/v1/b/b/managedFolders/users%2Fana%40example.com%2F/iam");
}

}  // namespace
}  // namespace kinetic::provision
