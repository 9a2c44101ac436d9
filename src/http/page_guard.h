#pragma once

#include "kinetic/result.h"

#include <set>
#include <string>

namespace kinetic::http {

/// Bounds a listing of pages, because a faulty server or proxy may never send the last one.
class PageGuard {
 public:
  /// @param what  for errors: "listing gs://bucket".
  explicit PageGuard(std::string what) : what_(std::move(what)) {}

  /// Call after each page, with the token of the next one, unless that is empty.
  ///
  /// @errors  kDataLoss: the token has occurred before, or 1,000 pages in a row were empty.
  Status Check(const std::string& next, bool is_empty);

  int empty_pages() const { return empty_pages_; }  ///< in a row

 private:
  std::string what_;
  std::set<std::string> seen_;
  int empty_pages_ = 0;
};

}  // namespace kinetic::http
