#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "bundle/format/pack.h"
#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_removal.h"
#include "bundle/read/tree_loader.h"
#include "record/object_names.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace kinetic::bundle {
namespace {

using record::PackName;
using record::TreeName;

/// Writers close a pack at 16 MiB.
constexpr std::uint64_t kMaxPackBytes = 64ULL << 20;
constexpr std::size_t kMaxRequests = 8;

/// The result of reading an object.
struct Examined {
  std::optional<store::ObjectInfo> info;  ///< nullopt: it does not exist
  std::string problem;                    ///< empty: it is intact

  bool IsUsable() const { return info && problem.empty(); }
};

/// Returns whether an error means that content is damaged or incomplete.
bool IsDamage(const Error& error) {
  return error.code == ErrorCode::kDataLoss || error.code == ErrorCode::kNotFound;
}

/// Returns the message of an error, which begins with the object's name.
std::string ProblemOf(const std::string& name, const Error& error) {
  return error.message.starts_with(name) ? error.message : name + ": " + error.message;
}

/// Computes the name of a pack from its bytes.
Result<Digest> PackDigest(std::string_view bytes) {
  KINETIC_ASSIGN_OR_RETURN(const auto frames, DecodePackIndex(bytes, bytes.size()));
  Pack pack;
  Decompressor decompressor;
  for (const Frame& frame : frames) {
    const std::string_view stored = bytes.substr(frame.offset, frame.stored_bytes);
    if (frame.stored_bytes > frame.content_bytes) {
      KINETIC_ASSIGN_OR_RETURN(const std::string_view content,
                               decompressor.Decompress(stored, frame.content_bytes));
      pack.AddRaw(Buffer::Copy(content), Sha256::Of(content));
    } else {
      pack.Add(Buffer::Copy(stored), Sha256::Of(stored), frame.content_bytes);
    }
  }
  pack.Close();
  return pack.digest();
}

Result<Examined> ExaminePack(store::Store& store, const Digest& pack, const std::stop_token& stop) {
  const std::string name = PackName(pack);
  Examined examined;
  KINETIC_ASSIGN_OR_RETURN(examined.info, store.Stat(name, stop));
  if (!examined.info) return examined;
  const auto bytes = store::GetBytes(store, name, stop, kMaxPackBytes);
  if (!bytes && !IsDamage(bytes.error())) return Failure(bytes.error());
  if (bytes && !*bytes) return Examined();
  const auto found = bytes ? PackDigest(**bytes) : Result<Digest>(Failure(bytes.error()));
  if (!found && found.error().code == ErrorCode::kDataLoss) {
    examined.problem = ProblemOf(name, found.error());
  } else if (found && *found != pack) {
    examined.problem = name + ": its frames do not match its digest";
  }
  return examined;  // a newer format is not known to be damaged
}

/// Also fills in the references of an intact tree.
Result<Examined> ExamineTree(store::Store& store, const Digest& tree, TreeReferences& references,
                             const std::stop_token& stop) {
  const std::string name = TreeName(tree);
  Examined examined;
  KINETIC_ASSIGN_OR_RETURN(examined.info, store.Stat(name, stop));
  if (!examined.info) return examined;
  const auto loaded = LoadTree(store, tree, stop);
  if (!loaded && !IsDamage(loaded.error())) {
    if (loaded.error().code == ErrorCode::kFailedPrecondition) return examined;  // a newer format
    return Failure(loaded.error());
  }
  if (!loaded) {
    examined.problem = ProblemOf(name, loaded.error());
    return examined;
  }
  references.base = loaded->base;
  for (const PackInfo& pack : loaded->packs) references.packs.push_back(pack.digest);
  return examined;
}

bool Contains(const std::vector<Digest>& digests, const Digest& digest) {
  return std::ranges::find(digests, digest) != digests.end();
}

class DamagedTree {
 public:
  DamagedTree(store::Store& store, std::stop_token stop) : store_(store), stop_(std::move(stop)) {}

  Result<std::vector<std::string>> Run(const Digest& tree, const std::optional<Digest>& pack) {
    TreeReferences references;
    KINETIC_ASSIGN_OR_RETURN(const Examined whole, ExamineTree(store_, tree, references, stop_));
    if (!whole.info) return std::move(removed_);
    if (!whole.IsUsable()) {
      // It is damaged, or its base is damaged or missing.
      KINETIC_RETURN_IF_ERROR(Remove(*whole.info));
      KINETIC_RETURN_IF_ERROR(RemoveDamagedBase(tree));
      return std::move(removed_);
    }
    KINETIC_RETURN_IF_ERROR(ExaminePacks(pack ? std::vector{*pack} : references.packs));
    if (broken_.empty()) return std::move(removed_);
    KINETIC_RETURN_IF_ERROR(Remove(*whole.info));
    if (references.base) KINETIC_RETURN_IF_ERROR(RemoveBrokenBase(*references.base));
    // Packs last: until then no tree claims that they exist.
    for (const auto& [digest, examined] : broken_) {
      if (examined.info) KINETIC_RETURN_IF_ERROR(Remove(*examined.info));
    }
    return std::move(removed_);
  }

 private:
  Status ExaminePacks(const std::vector<Digest>& packs) {
    const auto examine = [&](std::size_t i, const std::stop_token& stop) -> Status {
      KINETIC_ASSIGN_OR_RETURN(Examined examined, ExaminePack(store_, packs[i], stop));
      const std::lock_guard lock(mutex_);
      if (!examined.IsUsable()) broken_.emplace(packs[i], std::move(examined));
      return {};
    };
    return ParallelFor(std::min(kMaxRequests, packs.size()), packs.size(), stop_, examine);
  }

  /// Removes the base of an unreadable tree if the base is the reason.
  Status RemoveDamagedBase(const Digest& tree) {
    const auto object = ReadTreeObject(store_, tree, stop_);
    if (!object && !IsDamage(object.error())) return Failure(object.error());
    const auto references = object && *object ? ReferencesOf((*object)->body) : TreeReferences();
    if (!references || !references->base) return {};
    TreeReferences of_base;
    KINETIC_ASSIGN_OR_RETURN(const Examined base,
                             ExamineTree(store_, *references->base, of_base, stop_));
    return base.info && !base.IsUsable() ? Remove(*base.info) : Status();
  }

  /// Removes a base that needs one of the broken packs.
  Status RemoveBrokenBase(const Digest& base) {
    TreeReferences references;
    KINETIC_ASSIGN_OR_RETURN(const Examined examined, ExamineTree(store_, base, references, stop_));
    if (!examined.info) return {};
    const bool is_broken = std::ranges::any_of(
        broken_, [&](const auto& pack) { return Contains(references.packs, pack.first); });
    return is_broken || !examined.IsUsable() ? Remove(*examined.info) : Status();
  }

  Status Remove(const store::ObjectInfo& info) {
    KINETIC_ASSIGN_OR_RETURN(const auto removal, store_.RemoveIfUnchanged(info, stop_));
    if (removal == store::Removal::kRemoved) removed_.push_back(info.name);
    return {};
  }

  store::Store& store_;
  const std::stop_token stop_;
  std::mutex mutex_;
  std::map<Digest, Examined> broken_;  ///< packs
  std::vector<std::string> removed_;
};

/// Returns the digests of the objects with a prefix, and adds up their sizes.
Result<std::vector<Digest>> ListDigests(store::Store& store, std::string_view prefix,
                                        ContentCheck& check, const std::stop_token& stop) {
  std::vector<Digest> digests;
  const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
    const auto digest = Digest::FromHex(info.name.substr(prefix.size()));
    const bool is_in_folder = info.name.find('/', prefix.size()) != std::string::npos;
    if (!digest && info.damage.empty() && !is_in_folder) return true;
    check.objects += 1;
    check.bytes += info.size_bytes;
    if (digest) {
      digests.push_back(*digest);
    } else {
      check.unusable.push_back({info, info.damage.empty()
                                          ? info.name + ": is in a folder in place of an object"
                                          : store::DamageError(info).message});
    }
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(prefix, "", take, stop));
  return digests;
}

}  // namespace

Result<std::vector<std::string>> RemoveDamagedTree(store::Store& store, const Digest& tree,
                                                   const std::optional<Digest>& pack,
                                                   std::stop_token stop) {
  return DamagedTree(store, std::move(stop)).Run(tree, pack);
}

Result<ContentCheck> CheckContent(store::Store& store, std::size_t requests, std::stop_token stop) {
  ContentCheck check;
  // Trees are listed first: the packs of a listed tree exist, because writers store them before it.
  KINETIC_ASSIGN_OR_RETURN(const auto trees, ListDigests(store, record::kTreePrefix, check, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto packs, ListDigests(store, record::kPackPrefix, check, stop));
  std::mutex mutex;
  std::set<Digest> usable_packs;
  std::vector<UnusableObject> damaged_packs;
  const auto examine_pack = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    KINETIC_ASSIGN_OR_RETURN(Examined examined, ExaminePack(store, packs[i], stopping));
    const std::lock_guard lock(mutex);
    if (examined.IsUsable()) usable_packs.insert(packs[i]);
    if (!examined.problem.empty()) {
      damaged_packs.push_back({*std::move(examined.info), std::move(examined.problem)});
    }
    return {};
  };
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(std::min(requests, packs.size()), packs.size(), stop, examine_pack));
  const auto examine_tree = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    TreeReferences references;
    KINETIC_ASSIGN_OR_RETURN(Examined examined, ExamineTree(store, trees[i], references, stopping));
    if (!examined.info) return {};
    const std::lock_guard lock(mutex);
    for (const Digest& pack : references.packs) {
      if (!examined.problem.empty() || usable_packs.contains(pack)) continue;
      examined.problem = TreeName(trees[i]) + ": needs " + PackName(pack) + ", which is unusable";
    }
    if (!examined.problem.empty()) {
      check.unusable.push_back({*std::move(examined.info), std::move(examined.problem)});
    }
    return {};
  };
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(std::min(requests, trees.size()), trees.size(), std::move(stop), examine_tree));
  for (auto& pack : damaged_packs) check.unusable.push_back(std::move(pack));
  return check;
}

}  // namespace kinetic::bundle
