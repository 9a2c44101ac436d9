#include "support/kube_server.h"

#include "http/url.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

namespace kinetic::test {
namespace {

constexpr std::size_t kPageItems = 3;
constexpr std::size_t kNames = 12;

std::string Parameter(const std::string& target, const std::string& name) {
  const std::size_t at = target.find(name + "=");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 1;
  return http::PercentDecode(target.substr(begin, target.find('&', begin) - begin));
}

std::string Json(const std::string& name, const std::string& uid, std::int64_t version) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"ml","uid":")" + uid +
         R"(","resourceVersion":")" + std::to_string(version) +
         R"(","managedFields":[{"f":"]"}]},"data":{"text":")" + std::string(200, 'x') + R"("}})";
}

std::string Line(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

const std::string& Expired() {
  static const std::string kStatus =
      R"({"kind":"Status","status":"Failure","message":"too old","reason":"Expired","code":410})";
  return kStatus;
}

}  // namespace

KubeServer::KubeServer(unsigned seed)
    : random_(seed), server_([this](Connection& connection, int) { Serve(connection); }) {}

KubeServer::~KubeServer() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  changed_.notify_all();
}

std::size_t KubeServer::Below(std::size_t bound) {
  const std::lock_guard lock(mutex_);
  return random_() % bound;
}

bool KubeServer::Fault(std::size_t odds) {
  const std::lock_guard lock(mutex_);
  if (calm_ || random_() % odds != 0) return false;
  ++faults_;
  return true;
}

int KubeServer::faults() const {
  const std::lock_guard lock(mutex_);
  return faults_;
}

void KubeServer::DisableFaults() {
  const std::lock_guard lock(mutex_);
  calm_ = true;
}

std::map<std::string, std::string> KubeServer::Present() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::string> present;
  for (const auto& [name, object] : objects_) {
    present[name] = object.uid + " " + std::to_string(object.version);
  }
  return present;
}

void KubeServer::Change() {
  const std::lock_guard lock(mutex_);
  const std::string name = "o" + std::to_string(random_() % kNames);
  ++version_;
  const auto found = objects_.find(name);
  std::string line;
  if (found == objects_.end()) {
    const Object made{"u" + std::to_string(version_), version_};
    objects_[name] = made;
    line = Line("ADDED", Json(name, made.uid, version_));
  } else if (random_() % 3 == 0) {
    line = Line("DELETED", Json(name, found->second.uid, version_));
    objects_.erase(found);
  } else {
    found->second.version = version_;
    line = Line("MODIFIED", Json(name, found->second.uid, version_));
  }
  changes_.emplace_back(version_, std::move(line));
  if (random_() % 20 == 0) forgotten_ = version_;
  changed_.notify_all();
}

void KubeServer::Serve(Connection& connection) {
  for (;;) {
    const std::string head = connection.ReadHead();
    const std::size_t space = head.find(' ');
    if (space == std::string::npos) return;
    const std::string target = head.substr(space + 1, head.find(' ', space + 1) - space - 1);
    if (Fault(12)) return Below(2) == 0 ? connection.Reset() : void();
    if (Fault(12)) {
      connection.Send(Below(2) == 0 ? AnswerText(503, "starting")
                                    : AnswerText(429, "", "Retry-After: 0\r\n"));
      continue;
    }
    const bool watch = target.find("watch=true") != std::string::npos;
    if (!(watch ? AnswerWatch(connection, target) : AnswerList(connection, target))) return;
  }
}

bool KubeServer::AnswerList(Connection& connection, const std::string& target) {
  const std::string next = Parameter(target, "continue");
  std::string items;
  std::string more;
  std::int64_t version = 0;
  bool forgotten = false;
  {
    const std::lock_guard lock(mutex_);
    // A continued list has the version of its first page, or fails.
    const std::size_t colon = next.find(':');
    version = next.empty() ? version_ : std::stoll(next.substr(0, colon));
    forgotten = version != version_;
    const std::size_t from = next.empty() ? 0 : std::stoull(next.substr(colon + 1));
    std::size_t index = 0;
    for (const auto& [name, object] : objects_) {
      const std::size_t at = index++;
      if (at < from || at >= from + kPageItems) continue;
      items += (items.empty() ? "" : ",") + Json(name, object.uid, object.version);
    }
    if (from + kPageItems < objects_.size()) {
      more = std::to_string(version) + ":" + std::to_string(from + kPageItems);
    }
  }
  if (forgotten) return connection.Send(AnswerText(410, Expired()));
  const std::string answer =
      AnswerText(200, R"({"metadata":{"resourceVersion":")" + std::to_string(version) +
                          R"(","continue":")" + more + R"("},"items":[)" + items + "]}");
  if (!Fault(15)) return connection.Send(answer);
  connection.Send(std::string_view(answer).substr(0, Below(answer.size())));
  return false;
}

std::string KubeServer::LinesAfter(std::int64_t& version) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(20),
                    [&] { return ending_ || version_ > version; });
  std::string lines;
  const auto first =
      std::partition_point(changes_.begin(), changes_.end(),
                           [&](const auto& change) { return change.first <= version; });
  for (auto change = first; change != changes_.end(); ++change) lines += change->second;
  version = version_;
  return lines;
}

bool KubeServer::SendChunk(Connection& connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), 1 + Below(700));
    std::array<char, 20> length{};
    std::snprintf(length.data(), length.size(), "%zx\r\n", size);
    const std::string chunk = length.data() + std::string(bytes.substr(0, size)) + "\r\n";
    if (!connection.Send(chunk)) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

bool KubeServer::AnswerWatch(Connection& connection, const std::string& target) {
  std::int64_t version = std::stoll(Parameter(target, "resourceVersion"));
  bool forgotten = false;
  {
    const std::lock_guard lock(mutex_);
    forgotten = version < forgotten_;
  }
  if (forgotten && Below(2) == 0) return connection.Send(AnswerText(410, Expired()));
  connection.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  if (forgotten) {
    SendChunk(connection, Line("ERROR", Expired()));
    return connection.Send("0\r\n\r\n");
  }
  for (;;) {
    const std::string lines = LinesAfter(version);
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return false;
    }
    if (!lines.empty() && Fault(20)) {
      SendChunk(connection, std::string_view(lines).substr(0, Below(lines.size())));
      return false;
    }
    if (Fault(60)) {
      connection.AwaitClose();  // silence
      return false;
    }
    if (!SendChunk(connection, lines)) return false;
    if (Below(10) == 0) {
      SendChunk(connection, Line("BOOKMARK", R"({"metadata":{"resourceVersion":")" +
                                                 std::to_string(version) + R"("}})"));
    }
    if (Fault(25)) return connection.Send("0\r\n\r\n");
  }
}

}  // namespace kinetic::test
