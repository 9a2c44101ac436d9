#pragma once

#include <cstddef>
#include <string>

namespace kinetic {

/// Asks the kernel for huge pages for a buffer that is about to be filled, if it is large. The faults
/// of small pages take several times longer than filling them.
///
/// @source  https://docs.kernel.org/admin-guide/mm/transhuge.html
void PrepareLargeBuffer(void* data, std::size_t size_bytes);

/// Reserves memory for a text that is about to grow to this size.
void ReserveLarge(std::string& text, std::size_t size_bytes);

}  // namespace kinetic
