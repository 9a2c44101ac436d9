#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "env/dependencies/index_settings.h"
#include "json/reader.h"

#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// Index settings as locks and orders keep them: URLs in their shown form.
Value ToValue(const IndexSettings& index);

/// @param where  begins every message.
/// @errors       kDataLoss.
Result<IndexSettings> IndexFromValue(const Value& value, std::string where);

Value ToList(const std::vector<std::string>& texts);

/// A member that is a list of strings; what is none is an error of the reader's.
std::vector<std::string> TextsAt(json::ObjectReader& reader, std::string_view key);

}  // namespace kinetic::env
