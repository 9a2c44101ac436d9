#pragma once

#include "support/gcs_server/request.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::gcs_server {

enum class FaultKind {
  kAnswer,     ///< answers `status` without acting, after `at_byte` bytes of the body or all of it
  kLoseReply,  ///< acts, then resets the connection without a response
  kResetBeforeBody,  ///< resets without reading the body
  kResetInBody,      ///< resets after `at_byte` bytes of the body
  kResetAfterBody,   ///< reads the body and resets without acting
  kStallBody,        ///< does not read for `stall`, after `at_byte` bytes of the body
  kFlipBody,         ///< flips a bit of byte `at_byte` of the body
  kResetReply,       ///< resets after `at_byte` bytes of the response body
  kStallReply,       ///< does not send for `stall`, after `at_byte` bytes of the response body
  kTruncateReply,    ///< closes the connection after `at_byte` bytes of the response body
  kFlipReply,        ///< flips a bit of byte `at_byte` of the response
};

/// A fault and the requests that it affects.
struct Fault {
  FaultKind kind = FaultKind::kAnswer;

  std::optional<std::uint64_t> index;  ///< the n-th request of the server, from 0
  std::string method;                  ///< empty: any
  std::string path;                    ///< a pattern of * and ? over the target; empty: any
  int skip = 0;                        ///< number of matching requests to skip
  int times = 1;                       ///< number of requests to affect; 0: all
  double share = 1;                    ///< probability, drawn from the seed

  int status = 503;
  std::string reason;                    ///< of an answer in Google's format; empty: a general one
  std::string message;                   ///< likewise
  std::optional<int> retry_after;        ///< seconds
  std::optional<std::uint64_t> at_byte;  ///< none: 0, or for kAnswer the whole body
  std::chrono::milliseconds stall{0};    ///< 0: until the client disconnects

  std::uint64_t At() const { return at_byte.value_or(0); }
};

/// Returns "lose-reply" and so on, as in JSON.
std::string_view Name(FaultKind kind);

/// The faults of a server. The requests and the seed alone determine which requests fail.
///
/// @threads  safe to call concurrently.
class Faults {
 public:
  void Add(Fault fault);
  void Clear();
  void Seed(std::uint64_t seed);

  /// Reads
  /// {"seed":7,"faults":[{"do":"answer","status":503,"method":"PUT","path":"*upload*","times":2}]},
  /// with the fields of Fault, `stall` in milliseconds. @returns an error message, or nullopt.
  std::optional<std::string> Load(const nlohmann::json& text);

  /// Returns the first fault that applies to request number `index`.
  std::optional<Fault> Next(const Request& request, std::uint64_t index);

 private:
  struct Entry {
    Fault fault;
    int matched = 0;
    int committed = 0;
  };

  bool Strikes(Entry& entry, std::uint64_t index) const;

  std::mutex mutex_;
  std::uint64_t seed_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace kinetic::gcs_server
