#pragma once

#include <memory>
#include <string>
#include <vector>

namespace kinetic::test {

/// A stand-in for Google's token services on 127.0.0.1 that verifies what it is sent: the signature
/// of an assertion (RS256, with the key's public half), its audience, scope and times; the secrets
/// of a refresh; the subject of an exchange; the header that the metadata server wants. Tokens are
/// "token-1", "token-2", …
class TokenServer {
 public:
  TokenServer();
  ~TokenServer();
  TokenServer(const TokenServer&) = delete;
  TokenServer& operator=(const TokenServer&) = delete;

  /// "http://127.0.0.1:PORT"
  std::string Url() const;

  /// A key file of the one service account it knows.
  std::string ServiceAccountJson() const;
  /// A user's credential that it will refresh.
  std::string UserJson() const;

  /// The next `count` answers are 503.
  void BeUnavailable(int count);
  /// Every answer's Date is this many seconds off.
  void ShiftDate(int seconds);
  void Revoke();
  void LastFor(int seconds);

  int tokens() const;
  std::vector<std::string> problems() const;  ///< what it found wrong with what it was sent

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinetic::test
