#pragma once

#include "kinetic/result.h"

#include "base/concurrency/bounded_queue.h"
#include "base/concurrency/pipeline.h"
#include "bundle/format/buffer.h"
#include "bundle/format/pack.h"
#include "bundle/gc/content_lease.h"
#include "bundle/write/bundle_writer.h"

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

/// The locations of frames by number, and their packs.
struct PackedFrames {
  struct Place {
    std::uint32_t pack = 0;  ///< index into `packs`
    std::uint32_t frame = 0;
  };
  std::vector<Place> places;
  std::vector<PackInfo> packs;
  std::uint64_t stored_packs = 0;  ///< excluding packs that existed
  std::uint64_t stored_bytes = 0;
};

/// Compresses frames, combines them in packs and stores the packs, in separate threads. The layout
/// depends only on the order of Submit.
///
/// @threads  Submit and Finish from one thread at a time.
class Packer {
 public:
  /// @param expect_new  the packs are probably not in the store: small ones are put without a
  ///        check.
  Packer(ContentLease& lease, const WriteOptions& options, bool expect_new, std::stop_token stop);
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer();

  /// The content of a frame.
  struct Content {
    Buffer bytes;                  ///< 1 to kMaxFrameBytes
    std::optional<Digest> digest;  ///< of the bytes, if known
    bool compressible = true;
  };
  /// Adds a frame. Waits while too much content is in memory. Returns the frame's number, from 0.
  Result<std::uint64_t> Submit(Content content);

  /// Waits until all packs are stored.
  Result<PackedFrames> Finish();

 private:
  struct Job {
    std::uint64_t number = 0;
    Content content;
  };
  /// A frame as stored in a pack.
  struct EncodedFrame {
    Buffer bytes;
    std::size_t content_bytes = 0;
    Digest digest;
    bool raw = false;
  };
  struct ClosedPack {
    std::size_t number = 0;
    std::unique_ptr<Pack> pack;
    std::size_t budget_bytes = 0;  ///< acquired from the budget
  };

  void StartThreads();
  static EncodedFrame EncodeFrame(Compressor& compressor, Content content);
  void Compress();
  void Store();
  /// Checks first whether the pack exists, if that is cheaper than a put.
  Status StorePack(const Digest& digest, Pack& pack);
  bool AppendFrame(EncodedFrame frame);
  bool ClosePack();
  void Stop(Error error);
  Error FirstError();

  ContentLease& lease_;
  const WriteOptions options_;
  const bool expect_new_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> forward_stop_;
  ByteBudget budget_;
  BoundedQueue<Job> jobs_;
  BoundedQueue<ClosedPack> closed_packs_;
  OrderedGate gate_;
  std::uint64_t submitted_ = 0;

  std::unique_ptr<Pack> open_;
  std::size_t open_budget_bytes_ = 0;
  std::size_t pack_count_ = 0;

  std::mutex mutex_;
  PackedFrames packed_;
  std::optional<Error> error_;

  std::vector<std::jthread> compressors_;
  std::vector<std::jthread> storers_;
};

}  // namespace kinetic::bundle
