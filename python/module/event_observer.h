#pragma once

#include "kinetic/observer.h"

#include "waiting_call.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic::python {

/// Posts the progress of an operation.
class EventObserver : public Observer {
 public:
  explicit EventObserver(WaitingCall& call) : call_(call) {}

  void OnPhaseBegin(Phase phase, std::string_view what) override { Post("begin", phase, what); }
  void OnPhaseEnd(Phase phase, std::string_view detail) override { Post("end", phase, detail); }
  void OnBytes(Phase phase, std::uint64_t done, std::uint64_t total) override {
    Post("bytes", phase, std::to_string(done) + " " + std::to_string(total));
  }
  void OnOutput(Phase phase, std::string_view line) override { Post("activity", phase, line); }
  void OnWarning(std::string_view message) override {
    call_.Post({"warning", "", std::string(message)});
  }

 private:
  void Post(const char* kind, Phase phase, std::string_view text) {
    call_.Post({kind, std::string(Name(phase)), std::string(text)});
  }

  WaitingCall& call_;
};

}  // namespace kinetic::python
