# All third-party packages, one line each. docs/adr/0002 has the reasons.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)  # SHA-256, random bytes; TLS in tests
find_package(fmt REQUIRED)                            # formatting
find_package(nlohmann_json REQUIRED)                  # JSON
find_package(yaml-cpp REQUIRED)                       # job files and profiles
find_package(tomlplusplus REQUIRED)                   # pyproject.toml, uv.lock (headers only)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)  # packs, trees, logs
pkg_search_module(isal REQUIRED IMPORTED_TARGET libisal isa-l)  # CRC-32C; Conan calls it isa-l
find_package(ZLIB REQUIRED)                           # gzip layers of images; the storage stand-in
find_package(LibArchive REQUIRED)                     # layers of third-party images (src/oci only)
find_package(CURL 7.85 REQUIRED)                      # HTTP (src/curl only)
find_package(CLI11 REQUIRED)                          # the command line (cli/ only)
find_package(spdlog REQUIRED)                         # diagnostics (cli/ only, headers only)
# nanobind: the Python module (python/CMakeLists.txt, as it is no Debian package)
if(KINETIC_BUILD_TESTS)
  find_package(GTest REQUIRED)                        # tests
  pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)  # servers for the wire tests
  find_package(tl-expected REQUIRED)                  # the storage stand-in
  find_package(valijson REQUIRED)                     # job schema compared with the parser (tests only)
  find_package(rapidcheck REQUIRED)                   # property tests
endif()
