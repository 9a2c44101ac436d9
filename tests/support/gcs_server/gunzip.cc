#include "support/gcs_server/gunzip.h"

#include <zlib.h>

#include <string>

namespace kinetic::gcs_server {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;

class Inflater {
 public:
  explicit Inflater(const std::function<bool(std::string_view piece)>& take) : take_(take) {
    inflateInit2(&stream_, kGzipOnly);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  bool Add(std::string_view packed) {
    std::string packed_bytes(packed);
    stream_.next_in = reinterpret_cast<Bytef*>(packed_bytes.data());
    stream_.avail_in = static_cast<uInt>(packed_bytes.size());
    do {
      if (at_end_ && stream_.avail_in > 0) inflateReset(&stream_);
      at_end_ = false;
      if (!Step()) return false;
    } while (stream_.avail_in > 0 || stream_.avail_out == 0);
    return true;
  }

  bool at_end() const { return at_end_; }

 private:
  bool Step() {
    stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
    stream_.avail_out = static_cast<uInt>(out_.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) return false;
    at_end_ = status == Z_STREAM_END;
    const std::size_t count = out_.size() - stream_.avail_out;
    return count == 0 || take_({out_.data(), count});
  }

  const std::function<bool(std::string_view piece)>& take_;
  z_stream stream_{};
  std::string out_ = std::string(256U << 10, '\0');
  bool at_end_ = false;
};

}  // namespace

bool Gunzip(const Content& content, const std::function<bool(std::string_view piece)>& take) {
  Inflater inflater(take);
  const auto add = [&](std::string_view piece) { return inflater.Add(piece); };
  return content.Read(0, content.size_bytes(), add) && inflater.at_end();
}

}  // namespace kinetic::gcs_server
