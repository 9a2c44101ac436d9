#pragma once

#include "kinetic/cloud.h"
#include "kinetic/log.h"

#include "http/observer.h"

namespace kinetic::connect {

/// Tells a log and a caller of every request.
class Witness final : public http::RequestObserver {
 public:
  /// Both outlive it and may be null.
  Witness(LogSink* log, RequestSink* sink) : log_(log), sink_(sink) {}
  void OnRequest(const http::RequestRecord& record) override;
  bool WantsHeaders() const override { return log_ != nullptr; }

 private:
  LogSink* log_;
  RequestSink* sink_;
};

}  // namespace kinetic::connect
