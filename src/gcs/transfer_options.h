#pragma once

#include "base/transfer_options.h"

namespace kinetic::gcs {

using kinetic::TransferOptions;

}  // namespace kinetic::gcs
