#include "support/gcs_server/fields.h"

#include "support/gcs_server/errors.h"

#include <map>
#include <memory>
#include <set>

namespace kinetic::gcs_server {
namespace {

using nlohmann::json;

/// Selected names, each with the selection within it. A leaf selects everything.
struct Selection {
  std::map<std::string, Selection, std::less<>> members;
};

/// All fields of the server's resources that clients select.
const std::set<std::string, std::less<>>& KnownNames() {
  static const std::set<std::string, std::less<>> names{"*",
                                                        "kind",
                                                        "id",
                                                        "selfLink",
                                                        "mediaLink",
                                                        "name",
                                                        "bucket",
                                                        "generation",
                                                        "metageneration",
                                                        "size",
                                                        "crc32c",
                                                        "md5Hash",
                                                        "etag",
                                                        "timeCreated",
                                                        "timeFinalized",
                                                        "updated",
                                                        "contentType",
                                                        "timeStorageClassUpdated",
                                                        "contentEncoding",
                                                        "contentDisposition",
                                                        "contentLanguage",
                                                        "cacheControl",
                                                        "storageClass",
                                                        "customTime",
                                                        "metadata",
                                                        "componentCount",
                                                        "items",
                                                        "prefixes",
                                                        "nextPageToken",
                                                        "resource",
                                                        "done",
                                                        "rewriteToken",
                                                        "objectSize",
                                                        "totalBytesRewritten",
                                                        "location",
                                                        "locationType",
                                                        "lifecycle",
                                                        "labels",
                                                        "projectNumber",
                                                        "iamConfiguration",
                                                        "softDeletePolicy",
                                                        "retentionPolicy",
                                                        "defaultEventBasedHold",
                                                        "versioning",
                                                        "permissions",
                                                        "bindings",
                                                        "version",
                                                        "owner",
                                                        "acl",
                                                        "retention",
                                                        "retentionExpirationTime",
                                                        "temporaryHold",
                                                        "eventBasedHold",
                                                        "kmsKeyName",
                                                        "timeDeleted",
                                                        "softDeleteTime",
                                                        "hardDeleteTime",
                                                        "rule",
                                                        "hierarchicalNamespace"};
  return names;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  /// Parses a,b(c,d),e/f up to a ')' or the end.
  bool List(Selection& into) {
    do {
      if (!Item(into)) return false;
    } while (Take(','));
    return true;
  }
  bool at_end() const { return at_ == text_.size(); }
  const std::set<std::string>& unknown() const { return unknown_; }

 private:
  bool Take(char wanted) {
    const bool there = at_ < text_.size() && text_[at_] == wanted;
    if (there) ++at_;
    return there;
  }

  bool Item(Selection& into) {
    const std::size_t end = std::min(text_.find_first_of(",()/", at_), text_.size());
    const std::string name(text_.substr(at_, end - at_));
    if (name.empty()) return false;
    at_ = end;
    if (!in_metadata_ && !KnownNames().contains(name)) unknown_.insert(name);
    const bool outer = in_metadata_;
    in_metadata_ = in_metadata_ || name == "metadata" || name == "labels";
    Selection& within = into.members[name];
    bool good = true;
    if (Take('/')) {
      good = Item(within);
    } else if (Take('(')) {
      good = List(within) && Take(')');
    }
    in_metadata_ = outer;
    return good;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool in_metadata_ = false;
  std::set<std::string> unknown_;
};

json Apply(const json& value, const Selection& selection) {
  if (selection.members.empty()) return value;
  if (value.is_array()) {
    json all = json::array();
    for (const json& item : value) all.push_back(Apply(item, selection));
    return all;
  }
  if (!value.is_object()) return value;
  json some = json::object();
  for (const auto& [name, within] : selection.members) {
    for (const auto& [key, member] : value.items()) {
      if (name == "*" || name == key) some[key] = Apply(member, within);
    }
  }
  return some;
}

}  // namespace

Outcome<json> SelectFields(const json& resource, std::string_view fields) {
  Selection selection;
  Parser parser(fields);
  if (!parser.List(selection) || !parser.at_end()) {
    return Refuse(Invalid("Invalid field selection " + std::string(fields)));
  }
  if (!parser.unknown().empty()) {
    return Refuse(Invalid("Invalid field selection " + *parser.unknown().begin()));
  }
  return Apply(resource, selection);
}

}  // namespace kinetic::gcs_server
