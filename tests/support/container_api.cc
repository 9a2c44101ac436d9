#include "support/container_api.h"

#include <httplib.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace kinetic::test {
namespace {

std::string ErrorText(int code, const std::string& status, const std::string& message) {
  return Value(Value::Map{
                   {"error", Value::Map{{"code", code}, {"message", message}, {"status", status}}}})
      .ToJson();
}

void Refuse(httplib::Response& response, int code, const std::string& status,
            const std::string& message) {
  response.status = code;
  response.set_content(ErrorText(code, status, message), "application/json");
}

}  // namespace

struct ContainerApi::State {
  std::string token;
  std::mutex mutex;
  std::map<std::string, Value> clusters;  // by "p/l/c"
  int unavailable = 0;
  bool denies = false;
  std::atomic<int> requests = 0;
  httplib::Server server;
  int port = 0;
  std::jthread thread;

  /// Returns whether the request is permitted.
  bool Admits(const httplib::Request& request, httplib::Response& response) {
    ++requests;
    if (unavailable > 0) {
      --unavailable;
      Refuse(response, 503, "UNAVAILABLE", "The service is currently unavailable.");
      return false;
    }
    if (request.get_header_value("Authorization") != "Bearer " + token) {
      Refuse(response, 401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
      return false;
    }
    if (denies) {
      Refuse(response, 403, "PERMISSION_DENIED",
             "Required \"container.clusters.get\" permission(s) for this cluster.");
      return false;
    }
    return true;
  }

  void OnGet(const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(mutex);
    if (!Admits(request, response)) return;
    const std::string key =
        request.matches[1].str() + "/" + request.matches[2].str() + "/" + request.matches[3].str();
    const auto found = clusters.find(key);
    if (found == clusters.end()) {
      return Refuse(response, 404, "NOT_FOUND", "Not found: " + request.path + ".");
    }
    response.set_content(found->second.ToJson(), "application/json");
  }

  void OnList(const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(mutex);
    if (!Admits(request, response)) return;
    Value::List list;
    for (const auto& [key, cluster] : clusters) {
      if (key.starts_with(request.matches[1].str() + "/")) list.push_back(cluster);
    }
    Value answer{Value::Map{}};
    if (!list.empty()) answer.Set("clusters", std::move(list));
    response.set_content(answer.ToJson(), "application/json");
  }
};

ContainerApi::ContainerApi(std::string token) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.token = std::move(token);
  state.server.Get(
      R"(/container.googleapis.com/v1/projects/([^/]+)/locations/([^/]+)/clusters/([^/]+))",
      [&](const auto& request, auto& response) { state.OnGet(request, response); });
  state.server.Get(R"(/container.googleapis.com/v1/projects/([^/]+)/locations/-/clusters)",
                   [&](const auto& request, auto& response) { state.OnList(request, response); });
  state.port = state.server.bind_to_any_port("127.0.0.1");
  state.thread = std::jthread([&] { state.server.listen_after_bind(); });
  while (!state.server.is_running()) std::this_thread::yield();
}

ContainerApi::~ContainerApi() {
  state_->server.stop();
  state_->thread.join();
}

std::string ContainerApi::Url() const { return "http://127.0.0.1:" + std::to_string(state_->port); }

void ContainerApi::Put(const std::string& project, const std::string& location,
                       const std::string& name, Value cluster) {
  const std::lock_guard lock(state_->mutex);
  cluster.Set("name", name);
  cluster.Set("location", location);
  state_->clusters.insert_or_assign(project + "/" + location + "/" + name, std::move(cluster));
}

void ContainerApi::BeUnavailable(int count) {
  const std::lock_guard lock(state_->mutex);
  state_->unavailable = count;
}

void ContainerApi::Deny() {
  const std::lock_guard lock(state_->mutex);
  state_->denies = true;
}

int ContainerApi::requests() const { return state_->requests; }

}  // namespace kinetic::test
