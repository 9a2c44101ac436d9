#pragma once

#include "kinetic/value.h"

#include <memory>
#include <string>

namespace kinetic::test {

/// A stand-in for GKE's container API on 127.0.0.1. Returns and lists clusters for requests with
/// the right token. Errors are worded like Google's.
class ContainerApi {
 public:
  /// @param token  the only accepted access token.
  explicit ContainerApi(std::string token);
  ~ContainerApi();
  ContainerApi(const ContainerApi&) = delete;
  ContainerApi& operator=(const ContainerApi&) = delete;

  /// "http://127.0.0.1:PORT"
  std::string Url() const;

  /// Adds or replaces a cluster.
  void Put(const std::string& project, const std::string& location, const std::string& name,
           Value cluster);
  /// Answers the next `count` requests with 503.
  void BeUnavailable(int count);
  /// Rejects every request for missing permissions.
  void Deny();

  int requests() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinetic::test
