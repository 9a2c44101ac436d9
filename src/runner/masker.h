#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::runner {

/// Secret values to be kept out of what is stored. Those of less than four bytes are not masked:
/// they would take every "1" and "yes" with them. A program seldom prints the white space around a
/// value, and prints long ones line by line: the value without it, and its lines of eight bytes and
/// more, count too.
std::vector<std::string> MaskableSecrets(std::vector<std::string> values);

/// Replaces secret values in a stream of bytes by "***", also where they are split over pieces.
/// Bytes that may turn out to be the beginning of a secret are held back.
///
/// @threads  one thread at a time.
class Masker {
 public:
  /// @param secrets  as MaskableSecrets gives them; outlives the object.
  explicit Masker(const std::vector<std::string>& secrets) : secrets_(&secrets) {}

  /// Appends to `out` what can be told of the stream so far.
  void Feed(std::string_view bytes, std::string& out);
  /// Appends what was held back: the stream has ended, or pauses for long.
  void Flush(std::string& out);
  bool HoldsBack() const { return !pending_.empty(); }

 private:
  struct Interval {
    std::size_t begin, end;
  };

  std::vector<Interval> Find() const;
  std::size_t PartialSuffix() const;
  void Emit(std::size_t keep_from, std::string& out);

  const std::vector<std::string>* secrets_;
  std::string pending_;
  std::size_t masked_ = 0;  ///< so many bytes of `pending_` are masked already, "***" is written
};

/// The whole of a text, masked.
std::string Masked(std::string_view text, const std::vector<std::string>& secrets);

}  // namespace kinetic::runner
