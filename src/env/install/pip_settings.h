#pragma once

#include "base/files/file_system.h"

#include <map>
#include <string>

namespace kinetic::env {

/// Adds to an environment for uv what pip would read from its configuration files and variables:
/// indexes, find-links, trusted hosts and the certificate file. Variables of uv that are
/// set take precedence.
///
/// Reads /etc/pip.conf, ~/.pip/pip.conf, ~/.config/pip/pip.conf and $PIP_CONFIG_FILE, sections
/// [global] and [install]. Files that cannot be read are ignored.
///
/// @source  https://pip.pypa.io/en/stable/topics/configuration/
///          https://docs.astral.sh/uv/reference/environment/
void AddPipSettings(FileSystem& fs, std::map<std::string, std::string>& environment);

}  // namespace kinetic::env
