#pragma once

#include "kinetic/value.h"

#include <memory>
#include <string>

namespace kinetic::test {

/// A stand-in for GKE's container API on 127.0.0.1: clusters are got and listed by those who show
/// the right token; refusals are as Google words them.
class ContainerApi {
 public:
  /// @param token  the one access token that it takes.
  explicit ContainerApi(std::string token);
  ~ContainerApi();
  ContainerApi(const ContainerApi&) = delete;
  ContainerApi& operator=(const ContainerApi&) = delete;

  /// "http://127.0.0.1:PORT"
  std::string Url() const;

  /// Puts a cluster there, or another in its place.
  void Put(const std::string& project, const std::string& location, const std::string& name,
           Value cluster);
  /// The next `count` answers are 503.
  void BeUnavailable(int count);
  /// Every request is refused as one of an account without rights.
  void Deny();

  int requests() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinetic::test
