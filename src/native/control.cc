#include "native/control.h"

#include "json/exception.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace kinetic::inline v0::native {

Control::Control(int descriptor) : descriptor_(descriptor), owner_(::getpid()) {
  // If the descriptor is closed, the program may later open a file with the same number.
  if (::fcntl(descriptor_, F_SETFD, FD_CLOEXEC) < 0) descriptor_ = -1;
}

bool Control::IsOwner() const { return ::getpid() == owner_; }

void Control::Started() { Send("started", {}); }

void Control::Returned(std::uint64_t size_bytes) { Send("returned", {{"size_bytes", size_bytes}}); }

void Control::Raised(const RemoteException& exception) {
  Send("raised", {{"exception", json::ExceptionValue(exception)}});
}

void Control::Refused(std::string_view reason) { Send("refused", {{"reason", reason}}); }

void Control::NotSerializable(std::string_view message) {
  Send("not_serializable", {{"message", message}, {"repr", ""}});
}

void Control::Send(std::string_view kind, Value::Map members) {
  if (!IsOwner()) return;
  members.emplace(members.begin(), "kind", kind);
  const std::string body = Value(std::move(members)).ToJson();
  const auto length = static_cast<std::uint32_t>(body.size());
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8)
    frame += static_cast<char>(static_cast<unsigned char>(length >> shift));
  frame += body;
  for (std::string_view rest = frame; !rest.empty();) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno != EINTR) return;  // the runner is gone
    if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace kinetic::inline v0::native
