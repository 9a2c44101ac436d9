#include "gcs/bucket.h"
#include "store/bucket/large_files.h"
#include "store/bucket/location.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

namespace kinetic::store {
namespace {

/// Packs and trees are removed this many days after their last lease.
constexpr int kRetentionDays = 90;
constexpr int kPartRetentionDays = 1;

/// One of the rules that all stores of a bucket share.
struct SharedRule {
  std::function<Value(const std::vector<std::string>& prefixes)> make;
  std::vector<std::string> folders;  ///< below a store's prefix
};

std::optional<std::set<std::string>> PrefixesOf(const Value& rule) {
  const Value* condition = rule.Find("condition");
  const Value* prefixes = condition != nullptr ? condition->Find("matchesPrefix") : nullptr;
  if (prefixes == nullptr || prefixes->AsList() == nullptr) return std::nullopt;
  std::set<std::string> found;
  for (const Value& prefix : *prefixes->AsList()) {
    if (prefix.AsString() == nullptr) return std::nullopt;
    found.insert(*prefix.AsString());
  }
  return found;
}

/// Returns whether two rules differ at most in their prefixes and in the order of fields.
bool HasShape(const Value& rule, const Value& shape) {
  const Value* action = rule.Find("action");
  const Value::Map* conditions = rule.Find("condition")->AsMap();
  const Value& wanted = *shape.Find("condition");
  return action != nullptr && *action == *shape.Find("action") && conditions != nullptr &&
         conditions->size() == wanted.AsMap()->size() &&
         std::ranges::all_of(*conditions, [&](const auto& condition) {
           const Value* found = wanted.Find(condition.first);
           return found != nullptr &&
                  (condition.first == "matchesPrefix" || *found == condition.second);
         });
}

/// Returns the prefixes of a rule that kinetic added, nullopt for any other rule.
std::optional<std::set<std::string>> OwnPrefixes(const Value& rule, const SharedRule& shared) {
  const auto prefixes = PrefixesOf(rule);
  if (!prefixes || prefixes->empty()) return std::nullopt;
  const bool ours = std::ranges::all_of(*prefixes, [&](const std::string& prefix) {
    return std::ranges::any_of(shared.folders, [&](const std::string& folder) {
      return prefix == folder || prefix.ends_with("/" + folder);
    });
  });
  return ours && HasShape(rule, shared.make({"any"})) ? prefixes : std::nullopt;
}

std::vector<Value> Merge(const std::vector<Value>& rules, const SharedRule& shared,
                         const std::string& prefix) {
  std::set<std::string> prefixes;
  for (const std::string& folder : shared.folders) prefixes.insert(prefix + folder);
  std::vector<Value> merged;
  std::optional<std::size_t> place;
  for (const Value& rule : rules) {
    const auto own = OwnPrefixes(rule, shared);
    if (own) prefixes.insert(own->begin(), own->end());
    if (own && place) continue;
    if (own) place = merged.size();
    merged.push_back(rule);
  }
  const Value rule = shared.make({prefixes.begin(), prefixes.end()});
  if (place) {
    merged[*place] = rule;
  } else {
    merged.push_back(rule);
  }
  return merged;
}

}  // namespace

std::vector<Value> MergeLifecycleRules(const std::vector<Value>& rules, const std::string& prefix) {
  const SharedRule content{
      [](const auto& all) { return gcs::DeleteAfterCustomTimeRule(kRetentionDays, all); },
      {"packs/", "trees/"}};
  const SharedRule parts{
      [](const auto& all) { return gcs::DeleteAfterAgeRule(kPartRetentionDays, all); },
      {std::string(kPartsFolder)}};
  return Merge(Merge(rules, content, prefix), parts, prefix);
}

}  // namespace kinetic::store
