#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kinetic::gcs_server {

/// The body of a request, read as it arrives.
class BodySource {
 public:
  virtual ~BodySource() = default;

  enum class State { kMore, kEnd, kLost };

  /// Reads some bytes into `buffer`. kEnd and kLost have none.
  struct Piece {
    State state = State::kMore;
    std::size_t size = 0;
  };
  virtual Piece Read(std::span<char> buffer) = 0;

  /// Returns nullopt for a chunked body.
  virtual std::optional<std::uint64_t> size_bytes() const = 0;
};

/// Fills `buffer` as far as possible. The state is kMore if the buffer is full.
BodySource::Piece Fill(BodySource& body, std::span<char> buffer);

/// Returns a whole body of at most `limit` bytes; nullopt if it is longer or was lost.
std::optional<std::string> ReadAll(BodySource& body, std::size_t limit = 16U << 20);

/// Reads and discards the rest. Returns false if it was lost.
bool Drain(BodySource& body);

/// A body in memory: a request within a batch.
class StringBody final : public BodySource {
 public:
  explicit StringBody(std::string bytes) : bytes_(std::move(bytes)) {}
  Piece Read(std::span<char> buffer) override;
  std::optional<std::uint64_t> size_bytes() const override { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t read_ = 0;
};

}  // namespace kinetic::gcs_server
