#include "integration/kube_harness.h"

#include "curl/transport.h"
#include "http/url.h"
#include "kube/object.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace kinetic::test {

Result<http::Response> TokenTransport::Stream(const http::Request& request, const http::Sink& sink,
                                              std::stop_token stop) {
  http::Request shown = request;
  shown.headers.Set("Authorization", "Bearer " + token_);
  return inner_.Stream(shown, sink, std::move(stop));
}

void KubeClusterTest::SetUp() {
  ClusterTest::SetUp();
  if (IsSkipped()) return;
  const auto server = http::ParseUrl(cluster().server());
  proxy_ =
      std::make_unique<TcpProxy>(server->host, static_cast<std::uint16_t>(std::stoi(server->port)));
  transport_ = MakeTransport(true);
  client_ = std::make_unique<kube::Client>(*transport_, SystemClock(), Options(ThroughProxy()));
}

void KubeClusterTest::TearDown() {
  client_.reset();
  transport_.reset();
  proxy_.reset();
  ClusterTest::TearDown();
}

std::string KubeClusterTest::Read(const std::string& file) const {
  std::ifstream stream(cluster().ca_file().parent_path() / file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void KubeClusterTest::CompactHistory() const {
  const auto ask = [&](const std::string& path, const std::string& body) {
    http::Request request;
    request.method = "POST";
    request.url = cluster().etcd() + path;
    request.body = std::make_shared<http::BytesBody>(body);
    const auto answer = transport_->Send(request, {});
    return answer ? Value::FromJson(answer->body).value_or(Value()) : Value();
  };
  const Value status = ask("/v3/maintenance/status", "{}");
  const std::string revision(kube::TextAt(status, {"header", "revision"}));
  ASSERT_FALSE(revision.empty()) << status.ToJson();
  const Value done = ask("/v3/kv/compaction", R"({"revision":")" + revision + R"("})");
  ASSERT_NE(kube::At(done, {"header"}), nullptr) << done.ToJson();
}

std::unique_ptr<http::Transport> KubeClusterTest::MakeTransport(bool certificate) const {
  curl::Options options;
  options.ca_pem = Read("ca.crt");
  options.compressed = true;
  options.peer_timeout = std::chrono::seconds(2);
  if (certificate) {
    options.client_certificate_pem = Read("admin.crt");
    options.client_key_pem = Read("admin.key");
  }
  return std::make_unique<curl::CurlTransport>(*curl::StartEngine(), std::move(options));
}

kube::ClientOptions KubeClusterTest::Options(const std::string& server) {
  kube::ClientOptions options;
  options.server = server;
  options.stall_timeout = std::chrono::seconds(3);
  return options;
}

std::string KubeClusterTest::ThroughProxy() const {
  return "https://127.0.0.1:" + std::to_string(proxy_->port());
}

Value KubeClusterTest::ConfigMap(const std::string& name, const std::string& text) const {
  Value metadata{Value::Map{}};
  metadata.Set("name", name);
  metadata.Set("namespace", name_space());
  Value data{Value::Map{}};
  data.Set("text", text);
  Value object{Value::Map{}};
  object.Set("apiVersion", "v1");
  object.Set("kind", "ConfigMap");
  object.Set("metadata", std::move(metadata));
  object.Set("data", std::move(data));
  return object;
}

RecordingWatch::RecordingWatch(const kube::Client& client, const kube::Resource& resource,
                               std::string name_space, kube::WatchOptions options,
                               kube::ListOptions query) {
  options.on_health_change = [this](const Error* error) {
    Add(error != nullptr ? "trouble" : "well");
  };
  const auto each = [this](const kube::WatchEvent& event) -> Status {
    using Kind = kube::WatchEvent::Kind;
    if (event.kind == Kind::kSynced) {
      Add("synced");
    } else if (event.kind == Kind::kDeleted) {
      Add("-" + std::string(kube::NameOf(*event.object)));
    } else {
      Add("+" + std::string(kube::NameOf(*event.object)) + " " +
          std::string(kube::ResourceVersionOf(*event.object)));
    }
    return {};
  };
  thread_ = std::thread([this, &client, resource, name_space = std::move(name_space), each,
                         options = std::move(options), query = std::move(query)] {
    end_ = client.Watch(resource, name_space, query, each, options, stop_.get_token()).error();
    Add("end: " + end_.message);
  });
}

RecordingWatch::~RecordingWatch() { Stop(); }

void RecordingWatch::Add(std::string word) {
  const std::lock_guard lock(mutex_);
  told_.push_back(std::move(word));
  changed_.notify_all();
}

std::vector<std::string> RecordingWatch::Events() const {
  const std::lock_guard lock(mutex_);
  return told_;
}

bool RecordingWatch::Await(const std::function<bool(const std::vector<std::string>&)>& told) {
  std::unique_lock lock(mutex_);
  const auto ended = [&] { return !told_.empty() && told_.back().starts_with("end: "); };
  changed_.wait_for(lock, std::chrono::minutes(1), [&] { return told(told_) || ended(); });
  if (told(told_)) return true;
  ADD_FAILURE() << "received: " << testing::PrintToString(told_);
  return false;
}

bool RecordingWatch::AwaitLast(const std::string& begin) {
  return Await([&](const std::vector<std::string>& told) {
    const auto last = std::find_if(told.rbegin(), told.rend(), [&](const std::string& word) {
      const bool aside = word == "trouble" || word == "well" || word.starts_with("+kube-root");
      return word.starts_with(begin) || !aside;
    });
    return last != told.rend() && last->starts_with(begin);
  });
}

Error RecordingWatch::Stop() {
  stop_.request_stop();
  if (thread_.joinable()) thread_.join();
  return end_;
}

}  // namespace kinetic::test
