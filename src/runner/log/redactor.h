#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::runner {

/// Returns the strings to redact for secret values: each value, the value without surrounding white
/// space, and its lines of eight bytes or more. Strings below four bytes are left out, because they
/// would hide every "1" and "yes".
std::vector<std::string> RedactableSecrets(std::vector<std::string> values);

/// Replaces secrets in a stream of bytes by "***", also across pieces. Holds back bytes that may
/// start a secret.
///
/// @threads  one thread at a time.
class Redactor {
 public:
  /// @param secrets  from RedactableSecrets; outlives the object.
  explicit Redactor(const std::vector<std::string>& secrets) : secrets_(&secrets) {}

  /// Appends the redacted bytes to `out`, except those that may start a secret.
  void Feed(std::string_view bytes, std::string& out);
  /// Appends the bytes that were held back.
  void Flush(std::string& out);

 private:
  struct Interval {
    std::size_t begin, end;
  };

  std::vector<Interval> Find() const;
  std::size_t PartialSuffix() const;
  void Emit(std::size_t end, std::string& out);

  const std::vector<std::string>* secrets_;
  std::string pending_;
  std::size_t redacted_ = 0;  ///< leading bytes of `pending_` whose "***" is already written
};

/// Returns the whole text, redacted.
std::string Redact(std::string_view text, const std::vector<std::string>& secrets);

}  // namespace kinetic::runner
