#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// Cuts a stream of bytes into log records: lines with their ends. A carriage return ends a record
/// too, so that progress bars are records; "\r\n" is one end. What is longer than
/// record::kLogRecordBytes is cut, not within a UTF-8 character. All records together are the
/// stream.
///
/// @threads  one thread at a time.
class LineCutter {
 public:
  using Each = std::function<void(std::string_view record)>;

  /// Passes on the records that are complete; each view is valid during the call.
  void Feed(std::string_view bytes, const Each& each);
  /// Passes on the last line, which has no end.
  void Flush(const Each& each);
  bool HasRest() const { return !rest_.empty(); }

 private:
  std::string rest_;
};

}  // namespace kinetic::runner
