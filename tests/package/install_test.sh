#!/usr/bin/env bash
# Installs the build into an empty prefix and builds a consumer from the installed files only, with find_package (shared
# and static) and with pkg-config. Each runs a job, or reads the settings.
set -euo pipefail
build=$1 consumer=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
prefix=$work/prefix
libdir=$(dirname "$(dirname "$(find "$prefix" -name kinetic.pc)")")
for file in bin/kinetic libexec/kinetic/kinetic-runner libexec/kinetic/kinetic-launcher include/kinetic/kinetic.h include/kinetic/version.h; do
  test -e "$prefix/$file" || { echo "not installed: $file"; exit 1; }
done
if find "$prefix/include" -name '*.h' -exec grep -lE '#include [<"](nlohmann|yaml-cpp|fmt|base/|json/)' {} +; then
  echo "an installed header includes what is not installed"; exit 1
fi

cmake -G Ninja -S "$consumer" -B "$work/by-cmake" -DCMAKE_PREFIX_PATH="$prefix" >"$work/cmake.log" 2>&1 ||
  { cat "$work/cmake.log"; exit 1; }
cmake --build "$work/by-cmake" >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
for package in kinetic kinetic-settings; do
  sed "s|^prefix=.*|prefix=$prefix|" "$libdir/pkgconfig/$package.pc" >"$work/$package.pc"
done
by_pkg_config() {
  read -ra flags <<<"$(PKG_CONFIG_PATH=$work pkg-config --cflags --libs "$1")"
  "${CXX:-c++}" -std=c++20 "$consumer/$2" -o "$work/$3" "${flags[@]}" "-Wl,-rpath,$libdir"
}
by_pkg_config kinetic main.cc by-pkg-config
by_pkg_config kinetic-settings settings.cc settings-by-pkg-config

run=0
for program in "$work/by-cmake/consumer_kinetic" "$work/by-cmake/consumer_static" "$work/by-pkg-config"; do
  run=$((run + 1))
  folder=$work/run-$run
  mkdir "$folder"
  printf 'def double(number):\n    return 2 * number\n' >"$folder/double.py"
  value=$("$program" "$folder" "$prefix/libexec/kinetic/kinetic-runner" "$PATH")
  test "$value" = 42 || { echo "$program printed: $value"; exit 1; }
done
runner=$(realpath "$prefix/libexec/kinetic/kinetic-runner")
for program in "$work/by-cmake/consumer_settings" "$work/settings-by-pkg-config"; do
  test "$("$program")" = "$runner" || { echo "$program printed: $("$program")"; exit 1; }
done
test "$(KINETIC_RUNNER=/opt/runner "$work/by-cmake/consumer_settings_static")" = /opt/runner
test "$("$prefix/bin/kinetic" version --json | grep -c version)" -ge 1
echo "installed, found by cmake and pkg-config, and $run consumers ran a job"
