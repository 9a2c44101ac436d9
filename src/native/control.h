#pragma once

#include "kinetic/job.h"
#include "kinetic/value.h"

#include <sys/types.h>

#include <cstdint>
#include <string_view>

namespace kinetic::inline v0::native {

/// Reports to the runner over a descriptor, in the messages of the Python shim. Child processes of
/// the program do not report, and do not inherit the descriptor when they run another program.
///
/// @threads  one thread at a time.
class Control {
 public:
  /// Reports nothing if the descriptor is closed.
  explicit Control(int descriptor);

  /// Returns whether this is the process that the runner started, not a fork of it.
  bool IsOwner() const;

  void Started();
  void Returned(std::uint64_t size_bytes);
  void Raised(const RemoteException& exception);
  /// The function cannot be called.
  void Refused(std::string_view reason);
  void NotSerializable(std::string_view message);

 private:
  void Send(std::string_view kind, Value::Map members);

  int descriptor_;
  pid_t owner_;
};

}  // namespace kinetic::inline v0::native
