#pragma once

#include "kinetic/result.h"

#include "base/concurrency/bounded_queue.h"
#include "bundle/format/pack.h"
#include "bundle/gc/content_lease.h"
#include "bundle/write/buffer.h"
#include "bundle/write/bundle_writer.h"
#include "bundle/write/pipeline.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace kinetic::bundle {

class Compressor;

/// The frames that a Packer was given, by number, and the packs they went to.
struct PackedFrames {
  struct Place {
    std::uint32_t pack = 0;  ///< index into `packs`
    std::uint32_t frame = 0;
  };
  std::vector<Place> places;
  std::vector<PackInfo> packs;
  std::uint64_t stored_packs = 0;  ///< without those that were there
  std::uint64_t stored_bytes = 0;
};

/// Compresses frames, puts them together as packs and stores these, each on threads of its own.
/// Which frame goes where depends on nothing but the order of Submit.
///
/// @threads  Submit and Finish from one thread at a time.
class Packer {
 public:
  /// @param all_new  its packs are not likely to be in the store: small ones are sent unasked.
  Packer(ContentLease& lease, const WriteOptions& options, bool all_new, std::stop_token stop);
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer();

  /// What a frame is made of.
  struct Content {
    Buffer bytes;                  ///< 1 to kMaxFrameBytes
    std::optional<Digest> digest;  ///< of the bytes, where it is known
    bool compressible = true;
  };
  /// Takes a frame's content; waits while too much is in memory. Returns the frame's number,
  /// counted from 0.
  Result<std::uint64_t> Submit(Content content);

  /// Waits until all is stored.
  Result<PackedFrames> Finish();

 private:
  struct Job {
    std::uint64_t number = 0;
    Content content;
  };
  /// A frame as it goes into a pack.
  struct Stored {
    Buffer bytes;
    std::size_t content_bytes = 0;
    Digest digest;
    bool as_is = false;
  };
  struct Ready {
    std::size_t number = 0;
    std::unique_ptr<Pack> pack;
    std::size_t counted = 0;  ///< bytes of the budget that it holds
  };

  void Start();
  static Stored ToFrame(Compressor& compressor, Content content);
  void Compress();
  void Store();
  /// Asks first where that is cheaper than sending: an equal bundle may have left the pack.
  Status StorePack(const Digest& digest, Pack& pack);
  bool Place(Stored frame);
  bool ClosePack();
  void Stop(Error error);
  Error TheError();

  ContentLease& lease_;
  const WriteOptions options_;
  const bool all_new_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> forward_;
  ByteBudget budget_;
  BoundedQueue<Job> jobs_;
  BoundedQueue<Ready> ready_;
  OrderedGate gate_;
  std::uint64_t submitted_ = 0;

  std::unique_ptr<Pack> open_;
  std::size_t open_counted_ = 0;
  std::size_t closed_ = 0;

  std::mutex mutex_;
  PackedFrames packed_;
  std::optional<Error> error_;

  std::vector<std::jthread> compressors_;
  std::vector<std::jthread> storers_;
};

}  // namespace kinetic::bundle
