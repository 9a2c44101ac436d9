#include "kinetic/try.h"

#include "base/strings.h"
#include "env/pep/version.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic::env {
namespace {

using Operator = Specifier::Operator;

// Longer operators first: "==" is a prefix of "===".
constexpr std::array<std::pair<std::string_view, Operator>, 8> kOperators{
    {{"===", Operator::kArbitrary},
     {"~=", Operator::kCompatible},
     {"==", Operator::kEqual},
     {"!=", Operator::kNotEqual},
     {"<=", Operator::kLessEqual},
     {">=", Operator::kGreaterEqual},
     {"<", Operator::kLess},
     {">", Operator::kGreater}}};

/// Returns whether `candidate` begins with the epoch, release and pre-release, if any, of `prefix`.
bool HasPrefix(const Version& candidate, const Version& prefix) {
  if (candidate.epoch != prefix.epoch) return false;
  for (std::size_t i = 0; i < prefix.release.size(); ++i) {
    const std::uint64_t part = i < candidate.release.size() ? candidate.release[i] : 0;
    if (part != prefix.release[i]) return false;
  }
  return !prefix.pre || candidate.pre == prefix.pre;
}

bool SameRelease(const Version& a, const Version& b) {
  Version x;
  Version y;
  x.epoch = a.epoch, x.release = a.release;
  y.epoch = b.epoch, y.release = b.release;
  return x == y;
}

bool Equal(const Specifier& specifier, const Version& candidate) {
  if (specifier.wildcard) return HasPrefix(candidate, specifier.version);
  if (specifier.version.local.empty()) return candidate.WithoutLocal() == specifier.version;
  return candidate == specifier.version;
}

bool Compatible(const Specifier& specifier, const Version& candidate) {
  Version prefix;
  prefix.epoch = specifier.version.epoch;
  prefix.release = specifier.version.release;
  prefix.release.pop_back();
  return candidate.WithoutLocal() >= specifier.version && HasPrefix(candidate, prefix);
}

}  // namespace

std::optional<Operator> Specifier::ConsumeOperator(std::string_view& text) {
  for (const auto& [name, op] : kOperators) {
    if (text.starts_with(name)) {
      text.remove_prefix(name.size());
      return op;
    }
  }
  return std::nullopt;
}

Result<Specifier> Specifier::Parse(Operator op, std::string_view version) {
  version = Trim(version);
  Specifier specifier;
  specifier.op = op;
  if (op == Operator::kArbitrary) {
    specifier.text = ToLower(version);
    return specifier;
  }
  std::string_view number = version;
  if ((op == Operator::kEqual || op == Operator::kNotEqual) && number.ends_with(".*")) {
    specifier.wildcard = true;
    number.remove_suffix(2);
  }
  const auto parsed = Version::Parse(number);
  if (!parsed) {
    return Fail(ErrorCode::kInvalidArgument, "'" + Printable(version) + "' is not a version");
  }
  if (op == Operator::kCompatible && parsed->release.size() < 2) {
    return Fail(ErrorCode::kInvalidArgument,
                "'~=" + Printable(version) + "' requires a version with at least two parts");
  }
  specifier.version = *parsed;
  specifier.text = parsed->ToString();
  return specifier;
}

std::string Specifier::ToString() const {
  const auto* const found =
      std::find_if(kOperators.begin(), kOperators.end(), [&](auto& o) { return o.second == op; });
  return std::string(found->first) + text + (wildcard ? ".*" : "");
}

bool Specifier::Matches(const Version& candidate) const {
  switch (op) {
    case Operator::kCompatible:
      return Compatible(*this, candidate);
    case Operator::kEqual:
      return Equal(*this, candidate);
    case Operator::kNotEqual:
      return !Equal(*this, candidate);
    case Operator::kLessEqual:
      return candidate.WithoutLocal() <= version;
    case Operator::kGreaterEqual:
      return candidate.WithoutLocal() >= version;
    case Operator::kLess:
      // 2.0rc1 sorts before 2.0 but does not match "<2.0".
      return candidate < version && (version.IsPrerelease() || !candidate.IsPrerelease() ||
                                     !SameRelease(candidate, version));
    case Operator::kGreater:
      // 2.0.post1 and 2.0+local do not match ">2.0".
      return candidate > version &&
             (version.post || !candidate.post || !SameRelease(candidate, version)) &&
             (candidate.local.empty() || !SameRelease(candidate, version));
    case Operator::kArbitrary:
      return ToLower(candidate.ToString()) == text;
  }
  return false;
}

Result<SpecifierSet> SpecifierSet::Parse(std::string_view text) {
  SpecifierSet set;
  if (Trim(text).empty()) return set;
  for (std::string_view clause : Split(text, ',')) {
    clause = Trim(clause);
    if (clause.empty()) continue;
    const auto op = Specifier::ConsumeOperator(clause);
    if (!op) {
      return Fail(ErrorCode::kInvalidArgument,
                  "expected a comparison such as '>=1.0', found '" + Printable(clause) + "'");
    }
    KINETIC_ASSIGN_OR_RETURN(Specifier specifier, Specifier::Parse(*op, clause));
    set.clauses_.push_back(std::move(specifier));
  }
  return set;
}

std::string SpecifierSet::ToString() const {
  std::vector<std::string> texts;
  texts.reserve(clauses_.size());
  for (const auto& clause : clauses_) texts.push_back(clause.ToString());
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return Join(texts, ",");
}

bool SpecifierSet::Matches(const Version& candidate) const {
  return std::all_of(clauses_.begin(), clauses_.end(),
                     [&](const Specifier& clause) { return clause.Matches(candidate); });
}

std::optional<std::string> SpecifierSet::Pinned() const {
  for (const auto& clause : clauses_) {
    if (clause.op == Operator::kArbitrary || (clause.op == Operator::kEqual && !clause.wildcard)) {
      return clause.text;
    }
  }
  return std::nullopt;
}

}  // namespace kinetic::env
