#include "bundle/write/stat_cache.h"

#include "kinetic/try.h"

#include "base/random.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::bundle {
namespace {

// File format: header, rows sorted by path (each: Row, path), sha256 of all that. Numbers are in
// native byte order, which kStatCacheMagic reveals.
constexpr std::uint64_t kStatCacheMagic =
    0x0001'6b69'6e73'7462;  // the first two bytes are the version
constexpr std::uint64_t kMaxStatCacheBytes = 2ULL << 30;
constexpr std::int64_t kSecond = 1'000'000'000;

struct StatCacheHeader {
  std::uint64_t magic = kStatCacheMagic;
  std::uint64_t rows = 0;
  std::uint64_t trees = 0;  ///< number of digests that are set
  Digest last_tree;
  Digest previous_tree;
};

struct Row {
  std::int64_t mtime_ns;
  std::int64_t ctime_ns;
  std::uint64_t size_bytes;
  std::uint64_t inode;
  std::uint64_t device;
  std::uint32_t mode;
  std::uint32_t path_bytes;
  Digest digest;

  bool Matches(const FileStatus& status) const {
    return mtime_ns == status.mtime_ns && ctime_ns == status.ctime_ns &&
           size_bytes == status.size_bytes && inode == status.inode && device == status.device &&
           mode == status.mode;
  }
};

template <typename T>
void Append(std::string& out, const T& value) {
  static_assert(std::has_unique_object_representations_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
bool Take(std::string_view& in, T& value) {
  if (in.size() < sizeof value) return false;
  in.copy(reinterpret_cast<char*>(&value), sizeof value);
  in.remove_prefix(sizeof value);
  return true;
}

/// Returns an upper bound of the time between two changes with the same timestamp. The kernel's
/// clock has steps of up to 10 ms; some file systems store whole or even seconds.
std::int64_t TimestampGranularity(const FileStatus& status) {
  const bool whole_seconds = status.mtime_ns % kSecond == 0 && status.ctime_ns % kSecond == 0;
  return whole_seconds ? 2 * kSecond : kSecond / 50;
}

}  // namespace

struct StatCache::State {
  struct KnownFile {
    std::string_view path;  ///< in `content`
    const char* row = nullptr;
    bool kept = false;  ///< found unchanged since Load
  };

  bool Parse();
  /// Returns the index of `path` in `known`, or where to insert it.
  std::size_t Locate(std::string_view path);
  bool HasChanged() const;
  std::string Serialize() const;

  Path file;
  std::int64_t loaded_ns = 0;
  std::string content;  ///< of the file
  std::vector<KnownFile> known;
  std::size_t next = 0;  ///< index for the next lookup in order
  std::map<std::string, Row, std::less<>> changed;
  std::optional<Digest> last_tree;
  std::optional<Digest> previous_tree;  ///< only with last_tree
  bool last_tree_changed = false;
  std::mutex mutex;
};

bool StatCache::State::Parse() {
  std::string_view rest = content;
  if (rest.size() < sizeof(StatCacheHeader) + sizeof(Digest)) return false;
  const std::string_view body = rest.substr(0, rest.size() - sizeof(Digest));
  StatCacheHeader header;
  (void)Take(rest, header);
  if (header.magic != kStatCacheMagic || Sha256::Of(body).View() != content.substr(body.size())) {
    return false;
  }
  if (header.trees > 0) last_tree = header.last_tree;
  if (header.trees > 1) previous_tree = header.previous_tree;
  known.reserve(std::min<std::uint64_t>(header.rows, content.size() / sizeof(Row)));
  for (std::uint64_t i = 0; i < header.rows; ++i) {
    Row row{};
    const char* at = rest.data();
    if (!Take(rest, row) || rest.size() < row.path_bytes) return false;
    known.push_back({.path = rest.substr(0, row.path_bytes), .row = at, .kept = false});
    rest.remove_prefix(row.path_bytes);
  }
  return std::ranges::is_sorted(known, {}, &KnownFile::path);
}

std::size_t StatCache::State::Locate(std::string_view path) {
  if (next >= known.size() || known[next].path != path) {
    const auto found = std::ranges::lower_bound(known, path, {}, &KnownFile::path);
    next = static_cast<std::size_t>(found - known.begin());
  }
  return next;
}

bool StatCache::State::HasChanged() const {
  return last_tree_changed || !changed.empty() || !std::ranges::all_of(known, &KnownFile::kept);
}

std::string StatCache::State::Serialize() const {
  StatCacheHeader header{.magic = kStatCacheMagic,
                         .rows = changed.size(),
                         .trees = (last_tree ? 1U : 0U) + (previous_tree ? 1U : 0U),
                         .last_tree = last_tree.value_or(Digest()),
                         .previous_tree = previous_tree.value_or(Digest())};
  std::string out;
  out.reserve(content.size() + changed.size() * 2 * sizeof(Row));
  out.resize(sizeof header);
  auto add = changed.begin();
  const auto append_added = [&] {
    Append(out, add->second);
    out += add->first;
    ++add;
  };
  for (const KnownFile& each : known) {
    if (!each.kept) continue;
    while (add != changed.end() && add->first < each.path) append_added();
    if (add != changed.end() && add->first == each.path) continue;
    out.append(each.row, sizeof(Row) + each.path.size());
    ++header.rows;
  }
  while (add != changed.end()) append_added();
  std::memcpy(out.data(), &header, sizeof header);
  Append(out, Sha256::Of(out));
  return out;
}

StatCache::StatCache(std::unique_ptr<State> state) : state_(std::move(state)) {}
StatCache::StatCache(StatCache&&) noexcept = default;
StatCache& StatCache::operator=(StatCache&&) noexcept = default;
StatCache::~StatCache() = default;

Result<StatCache> StatCache::Load(FileSystem& fs, const Path& file, WallTime now) {
  auto state = std::make_unique<State>();
  state->file = file;
  state->loaded_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count();
  auto content = ReadFile(fs, file, kMaxStatCacheBytes);
  if (content) {
    state->content = *std::move(content);
    if (!state->Parse()) {
      state->known.clear();
      state->content.clear();
      state->last_tree.reset();
      state->previous_tree.reset();
    }
  } else if (content.error().code != ErrorCode::kNotFound &&
             content.error().code != ErrorCode::kInvalidArgument &&  // a folder
             content.error().code != ErrorCode::kResourceExhausted) {
    return Failure(std::move(content).error());
  }
  return StatCache(std::move(state));
}

std::optional<Digest> StatCache::Find(const std::string& path, const FileStatus& status) const {
  const std::lock_guard lock(state_->mutex);
  Row row{};
  if (const auto changed = state_->changed.find(path); changed != state_->changed.end()) {
    if (changed->second.Matches(status)) return changed->second.digest;
    return std::nullopt;
  }
  const std::size_t index = state_->Locate(path);
  if (index >= state_->known.size() || state_->known[index].path != path) return std::nullopt;
  State::KnownFile& known = state_->known[index];
  ++state_->next;
  std::memcpy(&row, known.row, sizeof row);
  known.kept = row.Matches(status);
  if (!known.kept) return std::nullopt;
  return row.digest;
}

void StatCache::Insert(std::string path, const FileStatus& status, const Digest& digest) {
  const std::lock_guard lock(state_->mutex);
  if (std::max(status.mtime_ns, status.ctime_ns) >=
      state_->loaded_ns - TimestampGranularity(status)) {
    state_->changed.erase(path);
    return;
  }
  const Row row{.mtime_ns = status.mtime_ns,
                .ctime_ns = status.ctime_ns,
                .size_bytes = status.size_bytes,
                .inode = status.inode,
                .device = status.device,
                .mode = status.mode,
                .path_bytes = static_cast<std::uint32_t>(path.size()),
                .digest = digest};
  state_->changed.insert_or_assign(std::move(path), row);
}

Status StatCache::Save(FileSystem& fs) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->HasChanged()) return {};
  const Path& file = state_->file;
  if (file.has_parent_path()) {
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, file.parent_path(), 0700));
  }
  Path temporary = file;
  temporary += "." + RandomId() + ".tmp";
  const auto write = [&]() -> Status {
    // No sync: after a crash the checksum fails and the cache is empty.
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(temporary, OpenMode::kCreateNew, 0600));
    KINETIC_RETURN_IF_ERROR(fs.Write(fd.get(), state_->Serialize()));
    return fs.Rename(temporary, file);
  };
  auto written = write();
  if (!written) (void)fs.Unlink(temporary);
  return written;
}

std::optional<Digest> StatCache::last_tree() const {
  const std::lock_guard lock(state_->mutex);
  return state_->last_tree;
}

std::optional<Digest> StatCache::previous_tree() const {
  const std::lock_guard lock(state_->mutex);
  return state_->previous_tree;
}

void StatCache::SetLastTree(const Digest& tree, std::optional<Digest> before) {
  const std::lock_guard lock(state_->mutex);
  if (state_->last_tree == tree) return;
  state_->last_tree = tree;
  state_->previous_tree = before;
  state_->last_tree_changed = true;
}

}  // namespace kinetic::bundle
