#include "kinetic/try.h"

#include "bundle/format/tree_codec.h"
#include "record/object_names.h"

#include <utility>

namespace kinetic::bundle {

Result<std::optional<TreeObject>> ReadTreeObject(store::Store& store, const Digest& tree,
                                                 std::stop_token stop) {
  const std::string name = record::TreeName(tree);
  TreeObject object;
  const auto append = [&](std::string_view piece) -> Status {
    object.body += piece;
    if (object.body.size() <= kMaxTreeObjectBytes) return {};
    return Fail(ErrorCode::kDataLoss, name + " is larger than the limit for a tree");
  };
  KINETIC_ASSIGN_OR_RETURN(const auto read, store.Get(name, {}, append, std::move(stop)));
  if (!read) return std::nullopt;
  object.generation = read->generation;
  return object;
}

}  // namespace kinetic::bundle
