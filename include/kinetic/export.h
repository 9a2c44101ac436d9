#pragma once

/// Exports a declaration from the shared library. All others are hidden.
#define KINETIC_EXPORT __attribute__((visibility("default")))
