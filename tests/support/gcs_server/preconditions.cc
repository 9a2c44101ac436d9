#include "support/gcs_server/preconditions.h"

#include "base/strings.h"
#include "support/gcs_server/errors.h"

namespace kinetic::gcs_server {
namespace {

std::optional<std::string> EtagFrom(const Request& request, std::string_view header) {
  std::string text = request.Header(header);
  if (text.empty()) return std::nullopt;
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

}  // namespace

Outcome<Preconditions> Preconditions::Of(const Request& request, const std::string& prefix) {
  Preconditions conditions;
  const auto read = [&](const char* name, std::optional<std::int64_t>& value) -> Outcome<void> {
    auto number = request.Number(prefix + name);
    if (!number) return Refuse(number.error());
    value = *number;
    return {};
  };
  for (const auto& [name, value] : {std::pair{"GenerationMatch", &conditions.generation_},
                                    {"GenerationNotMatch", &conditions.not_generation_},
                                    {"MetagenerationMatch", &conditions.metageneration_},
                                    {"MetagenerationNotMatch", &conditions.not_metageneration_}}) {
    if (auto done = read(name, *value); !done) return Refuse(done.error());
  }
  if (prefix == "if") {
    conditions.etag_ = EtagFrom(request, "If-Match");
    conditions.not_etag_ = EtagFrom(request, "If-None-Match");
  }
  return conditions;
}

Outcome<Preconditions> Preconditions::OfSource(const nlohmann::json& source) {
  Preconditions conditions;
  const auto given = source.find("objectPreconditions");
  if (given == source.end() || !given->is_object()) return conditions;
  const auto match = given->find("ifGenerationMatch");
  if (match == given->end()) return conditions;
  const auto number = ParseInt(match->is_string() ? match->get<std::string>() : match->dump());
  if (!number) return Refuse(InvalidArgument("ifGenerationMatch", match->dump()));
  conditions.generation_ = number;
  return conditions;
}

std::optional<std::string> Preconditions::Unmatched(std::int64_t generation,
                                                    std::int64_t metageneration) const {
  if (generation_ && *generation_ != generation) return "ifGenerationMatch";
  if (metageneration_ && *metageneration_ != metageneration) return "ifMetagenerationMatch";
  const bool exists = generation != 0;
  if (etag_ && !(exists && (*etag_ == "*" || *etag_ == EtagOf(generation, metageneration)))) {
    return "If-Match";
  }
  return std::nullopt;
}

std::optional<std::string> Preconditions::Matched(std::int64_t generation,
                                                  std::int64_t metageneration) const {
  if (not_generation_ && *not_generation_ == generation) return "ifGenerationNotMatch";
  if (not_metageneration_ && *not_metageneration_ == metageneration) {
    return "ifMetagenerationNotMatch";
  }
  const bool exists = generation != 0;
  if (not_etag_ && exists &&
      (*not_etag_ == "*" || *not_etag_ == EtagOf(generation, metageneration))) {
    return "If-None-Match";
  }
  return std::nullopt;
}

Outcome<void> Preconditions::Check(const Object* live) const {
  const std::int64_t generation = live == nullptr ? 0 : live->generation;
  const std::int64_t metageneration = live == nullptr ? 0 : live->metageneration;
  if (auto which = Unmatched(generation, metageneration)) return Refuse(ConditionNotMet(*which));
  if (auto which = Matched(generation, metageneration)) return Refuse(ConditionNotMet(*which));
  return {};
}

Outcome<void> Preconditions::CheckRead(const Object& live) const {
  if (auto which = Unmatched(live.generation, live.metageneration)) {
    return Refuse(ConditionNotMet(*which));
  }
  if (!Matched(live.generation, live.metageneration)) return {};
  Reply unchanged = EmptyReply(304);
  unchanged.headers.Add("ETag", EtagOf(live));
  return Refuse(unchanged);
}

Outcome<void> Preconditions::CheckBucket(std::int64_t metageneration) const {
  if (metageneration_ && *metageneration_ != metageneration) {
    return Refuse(ConditionNotMet("ifMetagenerationMatch"));
  }
  if (not_metageneration_ && *not_metageneration_ == metageneration) {
    return Refuse(ConditionNotMet("ifMetagenerationNotMatch"));
  }
  return {};
}

}  // namespace kinetic::gcs_server
