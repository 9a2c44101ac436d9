# What cmake --install puts in place; filled with the package test.
