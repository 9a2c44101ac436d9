#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kinetic::test {

/// A stand-in for Google's token services on 127.0.0.1 that verifies requests: signature (RS256),
/// audience, scope and times of an assertion; secrets of a refresh; subject of an exchange; the
/// header of metadata requests. Tokens are "token-1", "token-2", …
class TokenServer {
 public:
  /// The key of the service account: the same for all servers of the process, or another one.
  enum class Key : std::uint8_t { kUsual, kOther };

  explicit TokenServer(Key key = Key::kUsual);
  ~TokenServer();
  TokenServer(const TokenServer&) = delete;
  TokenServer& operator=(const TokenServer&) = delete;

  /// "http://127.0.0.1:PORT"
  std::string Url() const;

  /// Returns the key file of its service account.
  std::string ServiceAccountJson() const;
  /// Returns a user's credential that it refreshes.
  std::string UserJson() const;

  /// Answers the next `count` requests with 503.
  void BeUnavailable(int count);
  /// Shifts the Date of every response by this many seconds.
  void ShiftDate(int seconds);
  void Revoke();
  void LastFor(int seconds);

  int tokens() const;
  std::vector<std::string> problems() const;  ///< errors found in requests

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinetic::test
