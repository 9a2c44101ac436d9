#include "support/gcs_server/rewrite.h"

#include "base/random.h"
#include "base/strings.h"
#include "support/gcs_server/errors.h"
#include "support/gcs_server/handlers.h"

namespace kinetic::gcs_server {
namespace {

using nlohmann::json;

constexpr std::int64_t kMebibyte = 1 << 20;

/// Returns the source of the request after checking its preconditions. @errors 400, 403, 404, 412
Outcome<ObjectPtr> SourceOf(const Call& call, const CopyNames& names) {
  const std::string place = names.from_bucket + "/" + names.from;
  if (auto may = call.grant.Require("storage.objects.get", place); !may) return Refuse(may.error());
  const auto generation = call.request.Number("sourceGeneration");
  if (!generation) return Refuse(generation.error());
  const auto conditions = Preconditions::Of(call.request, "ifSource");
  if (!conditions) return Refuse(conditions.error());
  auto source = call.state.storage.Find(names.from_bucket, names.from, *generation);
  if (!source) return source;
  if (auto checked = conditions->Check(source->get()); !checked) return Refuse(checked.error());
  return source;
}

/// Returns the target, with the metadata of the body, or of the source if there is none.
Outcome<ObjectPtr> StoreCopy(const Call& call, const CopyNames& names, const Object& source,
                             const json& body) {
  const std::string place = names.to_bucket + "/" + names.to;
  if (auto may = call.grant.Require("storage.objects.create", place); !may) {
    return Refuse(may.error());
  }
  auto conditions = Preconditions::Of(call.request);
  if (!conditions) return Refuse(conditions.error());
  Object copy = source;
  copy.bucket = names.to_bucket;
  copy.name = names.to;
  if (!body.empty()) {
    auto attributes = ReadAttributes(body);
    if (!attributes) return Refuse(attributes.error());
    copy.attributes = *std::move(attributes);
  }
  return call.state.storage.Put(std::move(copy), WriteCheck(call, *std::move(conditions)));
}

/// Returns the number of bytes per call. @errors 400
Outcome<std::uint64_t> BytesPerCall(const Call& call, std::uint64_t size) {
  const auto most = call.request.Number("maxBytesRewrittenPerCall");
  if (!most) return Refuse(most.error());
  const std::uint64_t limit = call.state.behavior.rewrite_bytes;
  if (!*most) return limit > 0 ? limit : std::max<std::uint64_t>(size, 1);
  if (**most <= 0 || **most % kMebibyte != 0) {
    return Refuse(Invalid("maxBytesRewrittenPerCall must be an integral multiple of 1 MiB."));
  }
  return static_cast<std::uint64_t>(**most);
}

json Progress(std::uint64_t done, std::uint64_t size) {
  return {{"kind", "storage#rewriteResponse"},
          {"totalBytesRewritten", std::to_string(done)},
          {"objectSize", std::to_string(size)},
          {"done", done == size}};
}

Outcome<RewriteProgress> Resume(const Call& call, const std::string& token,
                                const RewriteProgress& now) {
  if (token.empty()) return now;
  const auto before = call.state.rewrites.Find(token);
  if (!before || before->names != now.names) return Refuse(InvalidArgument("rewriteToken", token));
  if (before->generation != now.generation) {
    return Refuse(Invalid("The source object has changed since the rewrite began."));
  }
  return *before;
}

}  // namespace

std::string Rewrites::Add(RewriteProgress progress) {
  const std::lock_guard lock(mutex_);
  std::string token = Base64Encode(RandomBytes(25));
  under_way_.emplace(token, std::move(progress));
  return token;
}

std::optional<RewriteProgress> Rewrites::Find(const std::string& token) const {
  const std::lock_guard lock(mutex_);
  const auto at = under_way_.find(token);
  if (at == under_way_.end()) return std::nullopt;
  return at->second;
}

void Rewrites::Advance(const std::string& token, std::uint64_t done_bytes) {
  const std::lock_guard lock(mutex_);
  const auto at = under_way_.find(token);
  if (at != under_way_.end()) at->second.done_bytes = done_bytes;
}

void Rewrites::Remove(const std::string& token) {
  const std::lock_guard lock(mutex_);
  under_way_.erase(token);
}

Reply Rewrite(Call& call, const CopyNames& names) {
  const auto body = ReadResource(call);
  if (!body) return body.error();
  const auto source = SourceOf(call, names);
  if (!source) return source.error();
  const Object& object = **source;
  const std::uint64_t size = object.content.size_bytes();
  const auto most = BytesPerCall(call, size);
  if (!most) return most.error();
  std::string token = call.request.Query("rewriteToken").value_or("");
  const std::string key = json{names.from_bucket, names.from, names.to_bucket, names.to}.dump(
      -1, ' ', false, json::error_handler_t::replace);
  const auto progress = Resume(call, token, {key, object.generation, 0});
  if (!progress) return progress.error();
  const std::uint64_t done = std::min(size, progress->done_bytes + *most);
  json answer = Progress(done, size);
  if (done < size) {
    if (token.empty()) token = call.state.rewrites.Add(*progress);
    call.state.rewrites.Advance(token, done);
    answer["rewriteToken"] = token;
    return ResourceReply(call, answer);
  }
  const auto copy = StoreCopy(call, names, object, *body);
  if (!copy) return copy.error();
  call.state.rewrites.Remove(token);
  answer["resource"] = ResourceOf(**copy, call.request.Origin());
  return ResourceReply(call, answer);
}

Reply Copy(Call& call, const CopyNames& names) {
  const auto body = ReadResource(call);
  if (!body) return body.error();
  const auto source = SourceOf(call, names);
  if (!source) return source.error();
  const auto copy = StoreCopy(call, names, **source, *body);
  return copy ? ObjectReply(call, **copy) : copy.error();
}

}  // namespace kinetic::gcs_server
