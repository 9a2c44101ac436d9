#include "backend/kubernetes/logs/end_line.h"

#include "kinetic/try.h"

#include "backend/kubernetes/snapshot/array_status.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/kubernetes/snapshot/job_monitor.h"
#include "kube/object.h"
#include "pod/container.h"
#include "pod/log_line.h"

#include <optional>
#include <string_view>

namespace kinetic::backend {
namespace {

/// The end of a program that prints more than this is seen in its pod's status.
constexpr std::size_t kMaxReadBytes = 1U << 20;

/// Finds the collector's last line in pieces of a log.
class EndLineParser {
 public:
  const std::optional<pod::EndLine>& end() const { return end_; }

  /// @errors  kAborted: the line was found, or the log is too long.
  Status Take(std::string_view bytes) {
    taken_bytes_ += bytes.size();
    while (!end_ && !bytes.empty()) {
      const std::size_t length = bytes.find('\n');
      line_.append(bytes.substr(0, length));
      if (length == std::string_view::npos) break;
      KINETIC_ASSIGN_OR_RETURN(end_, lines_.Read(line_, [](const LogRecord&) { return Status(); }));
      line_.clear();
      bytes.remove_prefix(length + 1);
    }
    if (end_ || taken_bytes_ > kMaxReadBytes) return Fail(ErrorCode::kAborted, "read enough");
    return {};
  }

 private:
  std::size_t taken_bytes_ = 0;
  std::string line_;
  pod::LogLineReader lines_;
  std::optional<pod::EndLine> end_;
};

}  // namespace

EndLineReader::EndLineReader(const WatchedJob& job)
    : job_(job), thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void EndLineReader::Run(const std::stop_token& stop) {
  for (JobMonitor::View view = job_.monitor.Current();;) {
    const Value* const pod = view.complete ? NextPod(view.snapshot) : nullptr;
    if (pod != nullptr && !job_.monitor.IsFollowed()) {
      read_.insert(std::string(kube::UidOf(*pod)));
      Read(std::string(kube::NameOf(*pod)), stop);
    }
    auto next = job_.monitor.Await(view.version, std::nullopt, stop);
    if (!next) return;
    view = *std::move(next);
  }
}

const Value* EndLineReader::NextPod(const ClusterSnapshot& snapshot) const {
  const auto pods = snapshot.PodsInOrder();
  const bool is_array = snapshot.job && IsArray(*snapshot.job);
  if (pods.empty() || is_array) return nullptr;
  const Value& last = *pods.back();
  const bool is_new = HasStarted(last, pod::kCollectorContainer) &&
                      !HasEnded(last, pod::kMainContainer) &&
                      !read_.contains(std::string(kube::UidOf(last)));
  return is_new ? &last : nullptr;
}

void EndLineReader::Read(const std::string& pod, const std::stop_token& stop) {
  EndLineParser parser;
  const kube::LogQuery query{
      .container = std::string(pod::kCollectorContainer), .follow = true, .tail_lines = 1};
  const auto take = [&](std::string_view bytes) { return parser.Take(bytes); };
  (void)job_.client.ReadLog(job_.name_space, pod, query, take, stop);
  // Another attempt may follow one without a result.
  if (parser.end() && parser.end()->result_sha256 != "-") job_.monitor.SetEndLine(*parser.end());
}

}  // namespace kinetic::backend
