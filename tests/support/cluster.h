#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace kinetic::test {

/// Thrown if no cluster can run; what() is the reason.
class ClusterUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The Kubernetes cluster of this checkout. The CTest fixture `cluster` starts it, or
/// `tests/support/cluster/cluster up`. Functions throw std::runtime_error with the output of a
/// failed program.
class Cluster {
 public:
  /// @errors  throws ClusterUnavailable if no cluster can run, or an error with the command that
  ///          starts a cluster if none is up.
  Cluster();

  const std::string& server() const { return Get("server"); }  ///< "https://10.213.0.1:40000"
  std::filesystem::path kubeconfig() const { return Get("kubeconfig"); }  ///< of an administrator
  std::filesystem::path ca_file() const { return Get("ca_file"); }
  const std::string& token() const { return Get("token"); }  ///< of an administrator
  std::filesystem::path kubectl() const { return Get("kubectl"); }
  const std::string& etcd() const { return Get("etcd"); }  ///< requires no credential
  /// Returns the address at which pods reach a server on this machine.
  const std::string& address() const { return Get("address"); }

  /// Runs a command of tests/support/cluster/cluster: {"apiserver", "stop"}. Tests that use a
  /// command with effects on other tests are RUN_SERIAL.
  void Command(const std::vector<std::string>& words) const;
  /// Runs kubectl as administrator. @returns its output
  std::string Kubectl(const std::vector<std::string>& words) const;

 private:
  const std::string& Get(const std::string& name) const { return facts_.at(name); }
  std::map<std::string, std::string> facts_;
};

/// A test with its own namespace. Skipped if no cluster can run: without root, Go or containers.
class ClusterTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  const Cluster& cluster() const { return *cluster_; }
  const std::string& name_space() const { return name_space_; }

 private:
  std::unique_ptr<Cluster> cluster_;
  std::string name_space_;
};

/// Returns an image that every node has: "python", "empty", "hostile" or "pause"; see
/// tests/support/cluster/images.py.
std::string TestImage(const std::string& name);

}  // namespace kinetic::test
