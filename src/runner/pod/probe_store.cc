#include "kinetic/try.h"

#include "connect/lazy_connection.h"
#include "pod/outcome.h"
#include "pod/store_probe_request.h"
#include "record/store_probe.h"
#include "runner/diagnostics.h"
#include "runner/entry_points.h"
#include "store/open.h"

#include <chrono>
#include <cstdlib>
#include <string>

namespace kinetic::runner {
namespace {

/// A person waits for the answer.
constexpr std::chrono::seconds kProbeRetryTime{5};

Status RunProbe() {
  const char* const text = ::getenv(std::string(pod::kStoreProbeVariable).c_str());
  KINETIC_ASSIGN_OR_RETURN(pod::StoreProbeRequest request,
                           pod::StoreProbeRequestFromJson(text == nullptr ? "" : text));
  request.cloud.retry_for = kProbeRetryTime;
  connect::LazyConnection cloud(
      request.cloud, connect::Dependencies{.fs = PosixFileSystem(), .clock = SystemClock()});
  const store::Access access{PosixFileSystem(), SystemClock(), cloud.Opener(), cloud.GcsOptions()};
  KINETIC_ASSIGN_OR_RETURN(const auto store, store::Open(request.store, access, {}));
  return record::ProbeStore(*store, {});
}

}  // namespace

int ProbeStore() {
  const Status probed = RunProbe();
  LogFailure("using the store", probed);
  WriteTerminationMessage(pod::OutcomeToJson(probed));
  return probed ? 0 : 1;
}

}  // namespace kinetic::runner
