#pragma once

#include "kinetic/result.h"

#include <archive.h>
#include <archive_entry.h>

namespace kinetic::oci {

/// The functions of libarchive. They are looked up when the first layer is read, not by the loader:
/// a program that reads none starts without libarchive and the ten libraries below it.
struct ArchiveLibrary {
  decltype(&::archive_read_new) read_new;
  decltype(&::archive_read_free) read_free;
  decltype(&::archive_read_support_filter_gzip) read_support_filter_gzip;
  decltype(&::archive_read_support_filter_zstd) read_support_filter_zstd;
  decltype(&::archive_read_support_format_tar) read_support_format_tar;
  decltype(&::archive_read_open) read_open;
  decltype(&::archive_read_next_header) read_next_header;
  decltype(&::archive_error_string) error_string;
  decltype(&::archive_entry_pathname) entry_pathname;
  decltype(&::archive_entry_filetype) entry_filetype;
  decltype(&::archive_entry_perm) entry_perm;
  decltype(&::archive_entry_symlink) entry_symlink;
  decltype(&::archive_entry_hardlink) entry_hardlink;
};

/// Loads libarchive, once.
///
/// @errors  kFailedPrecondition: it is not installed, or cannot be loaded.
Result<const ArchiveLibrary*> LoadArchiveLibrary();

}  // namespace kinetic::oci
