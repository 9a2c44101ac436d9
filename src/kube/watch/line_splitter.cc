#include "kinetic/try.h"

#include "kube/watch/watcher.h"

namespace kinetic::kube {
namespace {

constexpr std::size_t kLineBytes = 16U << 20;

}  // namespace

Status LineSplitter::Add(std::string_view piece) {
  for (std::size_t end = 0; (end = piece.find('\n')) != std::string_view::npos;) {
    std::string_view line = piece.substr(0, end);
    piece.remove_prefix(end + 1);
    std::string whole;
    if (!partial_.empty()) {
      whole.swap(partial_);
      whole += line;
      line = whole;
    }
    if (!line.empty()) KINETIC_RETURN_IF_ERROR(each_(line));
  }
  if (partial_.size() + piece.size() > kLineBytes) {
    return Fail(ErrorCode::kDataLoss,
                "a line has more than " + std::to_string(kLineBytes) + " bytes");
  }
  partial_ += piece;
  return {};
}

}  // namespace kinetic::kube
