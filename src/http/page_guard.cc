#include "http/page_guard.h"

namespace kinetic::http {

Status PageGuard::Check(const std::string& next, bool is_empty) {
  constexpr int kMaxEmptyPages = 1'000;
  empty_pages_ = is_empty ? empty_pages_ + 1 : 0;
  const bool repeats = !seen_.insert(next).second;
  if (!repeats && empty_pages_ < kMaxEmptyPages) return {};
  return Fail(ErrorCode::kDataLoss,
              what_ + (repeats ? ": the server sent the same page token twice"
                               : ": the server sent " + std::to_string(empty_pages_) +
                                     " empty pages in a row, and no last page"),
              "retry; if it happens again, check the endpoint and the proxy settings");
}

}  // namespace kinetic::http
