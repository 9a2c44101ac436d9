#include "runner/fetch_tree.h"

#include "store/bucket_location.h"

#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::size_t kThreadsOverNetwork = 16;
constexpr std::size_t kThreadPerProcessor = 0;

}  // namespace

Result<bundle::UnpackReport> FetchTree(store::Store& store, const bundle::Destination& destination,
                                       const Digest& tree, FetchBoard::Fetch& shown,
                                       std::stop_token stop) {
  const bundle::UnpackOptions options{
      .threads =
          store::IsBucketLocation(store.Location()) ? kThreadsOverNetwork : kThreadPerProcessor,
      .on_total = [&shown](std::uint64_t total_bytes) { shown.Expect(total_bytes); },
      .on_bytes = [&shown](std::uint64_t bytes) { shown.Add(bytes); }};
  return bundle::Unpack(store, destination, tree, options, std::move(stop));
}

}  // namespace kinetic::runner
