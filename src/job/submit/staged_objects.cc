#include "job/submit/staged_objects.h"

#include "kinetic/try.h"

#include "job/submit/prepare.h"
#include "record/index.h"
#include "record/object_names.h"

namespace kinetic::job {

Status RemoveObject(store::Store& store, const std::string& name) {
  KINETIC_ASSIGN_OR_RETURN(const auto there, store.Stat(name, {}));
  if (there) KINETIC_RETURN_IF_ERROR(store.RemoveIfUnchanged(*there, {}));
  return {};
}

void RemoveStagedObjects(Context& context, const record::Record& record) {
  auto& store = *context.store;
  Status removed;
  if (!record.inline_arguments) {
    removed = RemoveObject(store, record::ArgumentsName(record.id, record.nonce));
  }
  for (const auto& data : record.listed_data) {
    if (!removed) break;
    removed =
        RemoveObject(store, record::DataListingName(record.id, record.nonce, data.second.listing));
  }
  if (removed) removed = record::RemoveIndex(store, record.created, record.id, {});
  if (!removed) context.Log(LogLevel::kWarning, removed.error().message);
}

}  // namespace kinetic::job
