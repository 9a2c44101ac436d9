#include "support/cluster.h"

#include "base/process/subprocess.h"
#include "base/random.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <stdexcept>

namespace kinetic::test {
namespace {

constexpr int kUnavailable = 77;  // exit code of the cluster program if no cluster can run

std::string Variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

std::string Output(std::vector<std::string> argv, std::map<std::string, std::string> more = {}) {
  Subprocess program;
  program.environment = {{"PATH", Variable("PATH")}, {"HOME", Variable("HOME")}};
  const std::string folder = Variable("KINETIC_CLUSTER");
  if (!folder.empty()) program.environment["KINETIC_CLUSTER"] = folder;
  program.environment.merge(std::move(more));
  program.search_path = Variable("PATH");
  program.argv = std::move(argv);
  std::string said;
  std::string complained;
  program.on_stdout = [&](std::string_view piece) { said += piece; };
  program.on_stderr = [&](std::string_view piece) { complained += piece; };
  const auto ended = Run(program, {});
  if (!ended) throw std::runtime_error(program.argv[0] + ": " + ended.error().message);
  if (ended->code == kUnavailable) throw ClusterUnavailable(complained);
  if (!ended->Succeeded()) throw std::runtime_error(complained);
  return said;
}

}  // namespace

Cluster::Cluster() {
  const auto facts = nlohmann::json::parse(Output({KINETIC_TEST_CLUSTER, "describe"}));
  for (const auto& [name, value] : facts.items()) {
    if (value.is_string()) facts_[name] = value;
  }
}

void Cluster::Command(const std::vector<std::string>& words) const {
  std::vector<std::string> argv = {KINETIC_TEST_CLUSTER};
  argv.insert(argv.end(), words.begin(), words.end());
  Output(std::move(argv));
}

std::string Cluster::Kubectl(const std::vector<std::string>& words) const {
  std::vector<std::string> argv = {Get("kubectl")};
  argv.insert(argv.end(), words.begin(), words.end());
  return Output(std::move(argv),
                {{"KUBECONFIG", kubeconfig().string()}, {"KUBECACHEDIR", Get("kubectl_cache")}});
}

void ClusterTest::SetUp() {
  try {
    cluster_ = std::make_unique<Cluster>();
  } catch (const ClusterUnavailable& unavailable) {
    GTEST_SKIP() << unavailable.what();
  }
  const std::string name = "test-" + RandomId();
  cluster_->Kubectl({"create", "namespace", name});
  name_space_ = name;
  // Pods are rejected until a controller has created their service account.
  cluster_->Kubectl(
      {"wait", "--for=create", "serviceaccount/default", "-n", name, "--timeout=60s"});
}

void ClusterTest::TearDown() {
  if (name_space_.empty()) return;
  cluster_->Kubectl({"delete", "namespace", name_space_, "--wait=false"});
}

std::string TestImage(const std::string& name) { return "kinetic.test/" + name + ":1"; }

}  // namespace kinetic::test
