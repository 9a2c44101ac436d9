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

enum class Mischief {
  kAnswer,           ///< `status` instead of acting, after `at_byte` bytes of the body or all of it
  kLoseReply,        ///< acts; then the connection is reset without an answer
  kResetBeforeBody,  ///< nothing is read of the body
  kResetInBody,      ///< after `at_byte` bytes of the body
  kResetAfterBody,   ///< all is read, nothing is done
  kStallBody,        ///< no byte is read for `stall`, after `at_byte` bytes of the body
  kFlipBody,         ///< a bit of the body's byte `at_byte` arrives changed
  kResetReply,       ///< after `at_byte` bytes of the answer's body
  kStallReply,       ///< no byte is sent for `stall`, after `at_byte` bytes of the answer's body
  kTruncateReply,    ///< the connection ends properly after `at_byte` bytes of the answer's body
  kFlipReply,        ///< a bit of the answer's byte `at_byte` is sent changed
};

/// What goes wrong, and for which requests.
struct Fault {
  Mischief mischief = Mischief::kAnswer;

  std::optional<std::uint64_t> index;  ///< the n-th request of the server, from 0
  std::string method;                  ///< empty: any
  std::string path;                    ///< a pattern of * and ? over the target; empty: any
  int skip = 0;                        ///< the first that match go well
  int times = 1;                       ///< then so many do not; 0: all
  double share = 1;                    ///< of these, so many; drawn from the seed

  int status = 503;
  std::optional<int> retry_after;        ///< seconds
  std::optional<std::uint64_t> at_byte;  ///< none: 0, or for kAnswer the whole body
  std::chrono::milliseconds stall{0};    ///< 0: until the other side gives up

  std::uint64_t At() const { return at_byte.value_or(0); }
};

/// "lose-reply" and so on, as in files of faults.
std::string_view Name(Mischief mischief);

/// The faults that a server commits. Which requests fail depends on the requests and the seed
/// alone.
///
/// @threads  safe to call concurrently.
class Faults {
 public:
  void Add(Fault fault);
  void Clear();
  void Seed(std::uint64_t seed);

  /// {"seed":7,"faults":[{"do":"answer","status":503,"method":"PUT","path":"*upload*","times":2}]},
  /// with the members of Fault, `stall` in milliseconds. @returns what is wrong with it, or
  /// nothing.
  std::optional<std::string> Load(const nlohmann::json& text);

  /// The first fault that concerns request number `index`.
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
