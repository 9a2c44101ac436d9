#pragma once

#include "base/strings.h"
#include "kube/kubeconfig/cluster_access.h"
#include "support/certificates.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kinetic::test {

/// The text of a kubeconfig with one context, "c", of the cluster "k" and the user "u".
inline std::string OneContext(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
         "contexts:\n- name: c\n  context: {cluster: k, user: u, namespace: ml}\n"
         "clusters:\n- name: k\n  cluster:\n    " +
         cluster + "\nusers:\n- name: u\n  user:\n    " + user + "\n";
}

/// Reads and resolves one file.
inline Result<kube::ClusterAccess> Load(const TempTree& tree, const std::string& text,
                                        const std::string& context = {}) {
  const Path paths[] = {tree.Write("home/config", text)};
  const auto config = kube::ReadKubeconfig(PosixFileSystem(), paths);
  if (!config) return Failure(config.error());
  return kube::ResolveAccess(PosixFileSystem(), *config, context);
}

template <typename T>
void ExpectError(const Result<T>& result, ErrorCode code, std::string_view words,
                 std::string_view hint = {}) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, code) << result.error().message;
  EXPECT_THAT(result.error().message, testing::HasSubstr(words));
  EXPECT_THAT(result.error().hint, testing::HasSubstr(hint));
}

}  // namespace kinetic::test
