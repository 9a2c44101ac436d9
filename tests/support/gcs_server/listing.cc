#include "base/strings.h"
#include "support/gcs_server/errors.h"
#include "support/gcs_server/handlers.h"

#include <algorithm>

namespace kinetic::gcs_server {
namespace {

using nlohmann::json;

constexpr std::string_view kTokenMark = "page:";

struct Question {
  std::string prefix;
  std::string delimiter;
  std::string start;         ///< the first name
  std::string end;           ///< first excluded name; empty: none
  std::string after;         ///< from the page token: only names after this name or prefix
  bool trailing = false;     ///< names that end with the delimiter are also items
  bool after_empty = false;  ///< the previous page was empty
  std::size_t most = 1000;
};

std::string TokenOf(const std::string& after, bool was_empty) {
  return Base64Encode(std::string(kTokenMark) + (was_empty ? "1" : "0") + after);
}

Outcome<void> ReadToken(const std::string& token, Question& question) {
  const auto text = Base64Decode(token);
  if (!text || !text->starts_with(kTokenMark) || text->size() <= kTokenMark.size()) {
    return Refuse(InvalidArgument("pageToken", token));
  }
  question.after_empty = (*text)[kTokenMark.size()] == '1';
  question.after = text->substr(kTokenMark.size() + 1);
  return {};
}

Outcome<Question> QuestionOf(const Request& request, int page_limit) {
  // includeFoldersAsPrefixes has no effect on a bucket without folders.
  for (const char* missing : {"matchGlob", "filter"}) {
    if (request.Query(missing)) return Refuse(NotImplemented(missing));
  }
  for (const char* missing : {"versions", "softDeleted"}) {
    if (request.Query(missing) == "true") return Refuse(NotImplemented(missing));
  }
  const auto most = request.Number("maxResults");
  if (!most) return Refuse(most.error());
  if (*most && **most <= 0) return Refuse(InvalidArgument("maxResults", std::to_string(**most)));
  Question question;
  question.prefix = request.Query("prefix").value_or("");
  question.delimiter = request.Query("delimiter").value_or("");
  question.start = request.Query("startOffset").value_or("");
  question.end = request.Query("endOffset").value_or("");
  question.trailing = request.Query("includeTrailingDelimiter") == "true";
  question.most =
      static_cast<std::size_t>(std::min<std::int64_t>({most->value_or(1000), 1000, page_limit}));
  if (const auto token = request.Query("pageToken"); token && !token->empty()) {
    if (auto read = ReadToken(*token, question); !read) return Refuse(read.error());
  }
  return question;
}

/// Returns the first name after those that begin with `prefix`.
std::string AfterPrefix(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
  if (!prefix.empty())
    prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

/// Collects one page.
class Page {
 public:
  Page(const Question& question, std::string origin)
      : question_(question), origin_(std::move(origin)) {}

  Storage::Step Visit(const Object& object) {
    const std::string& name = object.name;
    if (!name.starts_with(question_.prefix) || (!question_.end.empty() && name >= question_.end)) {
      return {false, {}};
    }
    if (name < question_.start) return {};
    const std::string folder = FolderOf(name);
    const std::string& entry = folder.empty() ? name : folder;
    if (!question_.after.empty() && entry <= question_.after) return Past(name, folder);
    if (taken_ == question_.most) {
      full_ = true;
      return {false, {}};
    }
    ++taken_;
    last_ = entry;
    if (folder.empty()) {
      items_.push_back(ResourceOf(object, origin_));
      return {};
    }
    prefixes_.push_back(folder);
    if (question_.trailing && name == folder) items_.push_back(ResourceOf(object, origin_));
    return Past(name, folder);
  }

  json Resource() const {
    json page = {{"kind", "storage#objects"}};
    if (!items_.empty()) page["items"] = items_;
    if (!prefixes_.empty()) page["prefixes"] = prefixes_;
    if (full_) page["nextPageToken"] = TokenOf(last_, false);
    return page;
  }

 private:
  /// Returns the name up to the delimiter after the prefix; empty if there is none.
  std::string FolderOf(const std::string& name) const {
    if (question_.delimiter.empty()) return {};
    const std::size_t at = name.find(question_.delimiter, question_.prefix.size());
    return at == std::string::npos ? "" : name.substr(0, at + question_.delimiter.size());
  }

  /// Returns the next name to visit. The other names of a folder are skipped unless one may be an
  /// item.
  static Storage::Step Past(const std::string& name, const std::string& folder) {
    if (folder.empty() || name.size() < folder.size()) return {};
    return {true, AfterPrefix(folder)};
  }

  const Question& question_;
  std::string origin_;
  std::size_t taken_ = 0;
  bool full_ = false;
  std::string last_;
  std::vector<json> items_;
  std::vector<std::string> prefixes_;
};

}  // namespace

Reply ListObjects(Call& call, const std::string& bucket) {
  if (auto may = call.grant.Require("storage.objects.list", bucket); !may) return may.error();
  const auto question = QuestionOf(call.request, call.state.behavior.page_limit);
  if (!question) return question.error();
  if (call.state.behavior.empty_pages && !question->after_empty) {
    if (auto there = call.state.storage.Bucket(bucket); !there) return there.error();
    return ResourceReply(
        call, {{"kind", "storage#objects"}, {"nextPageToken", TokenOf(question->after, true)}});
  }
  Page page(*question, call.request.Origin());
  const std::string first = std::max({question->prefix, question->start, question->after});
  const auto walked = call.state.storage.Walk(
      bucket, first, [&page](const Object& object) { return page.Visit(object); });
  return walked ? ResourceReply(call, page.Resource()) : walked.error();
}

}  // namespace kinetic::gcs_server
