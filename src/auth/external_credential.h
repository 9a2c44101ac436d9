#pragma once

#include "kinetic/value.h"

#include "auth/credential_file.h"

namespace kinetic::auth {

/// Reads a credential of type external_account. @errors as SourceFromJson.
Result<std::unique_ptr<TokenSource>> ExternalFrom(const Value& value, Identity who,
                                                  const Surroundings& surroundings);

/// The words of a command line: blanks part them, quotes and backslashes keep them together. No
/// shell.
Result<std::vector<std::string>> SplitCommand(std::string_view command);

}  // namespace kinetic::auth
