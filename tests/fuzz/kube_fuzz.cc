// Arbitrary responses of an API server: event streams, Status objects, lists. A watch reports only
// objects that it holds, and filtered output is still JSON.

#include "kube/client.h"
#include "kube/object.h"

#include <cstdlib>
#include <map>
#include <string>

namespace http = kinetic::http;
namespace kube = kinetic::kube;
using kinetic::Value;

namespace {

void Require(bool held) {
  if (!held) std::abort();
}

/// Responds with a list, then with the stream in two pieces, then with nothing.
class Script final : public http::Transport {
 public:
  explicit Script(std::string_view stream) : stream_(stream) {}
  kinetic::Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                         std::stop_token) override {
    http::Response response;
    response.status = 200;
    if (++requests_ > 2) return kinetic::Fail(kinetic::ErrorCode::kInternal, "the end");
    if (request.on_head) request.on_head(response);
    if (requests_ == 1) {
      response.body = R"({"metadata":{"resourceVersion":"1"},"items":[)"
                      R"({"metadata":{"name":"a","uid":"1","resourceVersion":"1"}}]})";
      return response;
    }
    for (const auto piece :
         {stream_.substr(0, stream_.size() / 2), stream_.substr(stream_.size() / 2)}) {
      if (auto taken = sink(piece); !taken) return kinetic::Failure(taken.error());
    }
    return response;
  }

 private:
  std::string_view stream_;
  int requests_ = 0;
};

/// Does not wait.
class Impatient final : public kinetic::Clock {
 public:
  kinetic::WallTime Now() const override { return {}; }
  kinetic::SteadyTime Steady() const override { return {}; }
  kinetic::Status Sleep(std::chrono::milliseconds, std::stop_token) override { return {}; }
};

void Watch(std::string_view stream) {
  Script script(stream);
  Impatient clock;
  const kube::Client client(script, clock, {.server = "https://c"});
  std::map<std::string, std::string> present;
  std::ignore = client.Watch(kube::kPods, "", {},
                             [&](const kube::WatchEvent& event) -> kinetic::Status {
                               if (event.object == nullptr) return {};
                               const std::string key =
                                   std::string(kube::NamespaceOf(*event.object)) + "/" +
                                   std::string(kube::NameOf(*event.object));
                               const std::string uid(kube::UidOf(*event.object));
                               if (event.kind == kube::WatchEvent::Kind::kDeleted) {
                                 Require(present.count(key) == 1 && present[key] == uid);
                                 present.erase(key);
                               } else {
                                 Require(present.count(key) == 0 || present[key] == uid);
                                 present[key] = uid;
                               }
                               return {};
                             },
                             {}, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Watch(text);
  for (const int code : {400, 403, 404, 409, 500}) {
    const auto error =
        kube::ToError({"get", "reading", kube::kPods, "ml", "p"}, kube::ParseStatus(code, text));
    Require(error.message.find("\x1b") == std::string::npos);
    Require(error.hint.find("\x1b") == std::string::npos);
  }
  if (Value::FromJson(text)) Require(Value::FromJson(kube::WithoutManagedFields(text)).has_value());
  return 0;
}
