#pragma once

#include "kinetic/job.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::runner {

/// Returns the strings to redact for secrets, by name: each value, the value without surrounding
/// white space, its lines of eight bytes or more, and all of these as string literals of JSON and
/// Python. Strings below four bytes are left out, because they would hide every "1" and "yes".
std::vector<std::string> RedactableSecrets(const std::map<std::string, std::string>& secrets);

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

/// Returns the whole text, redacted. Also redacts four bytes or more of a secret that was cut, beside
/// the "…" or "..." that marks the cut.
std::string Redact(std::string_view text, const std::vector<std::string>& secrets);

/// Redacts all texts of an error, of an exception with its causes, or of an outcome except its value.
void RedactTexts(Error& error, const std::vector<std::string>& secrets);
void RedactTexts(RemoteException& exception, const std::vector<std::string>& secrets);
void RedactTexts(Outcome& outcome, const std::vector<std::string>& secrets);

}  // namespace kinetic::runner
