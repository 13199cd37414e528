#!/usr/bin/env bash
# Programs that link with heaptally as a user's would. run.sh BUILD
#
# Installs BUILD into an empty directory and links with it by find_package and
# by -lheaptally, shared and static, in C and in C++; then builds heaptally as a
# part of another project. Each program allocates 123 blocks of 1000 bytes and
# leaves a snapshot at exit that must show them at their function. Tests and
# benchmarks that use it must show their own numbers.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "$1" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d /tmp/heaptally-consumers.XXXXXX)
trap 'rm -rf "$work"' EXIT

check() {
  local name
  name=$(basename "$1")
  HEAPTALLY="mode=all,at_exit=$work/$name.heaptally" timeout 60 "$1"
  "$build/bin/heaptally" report "$work/$name.heaptally" --json \
    >"$work/report.json"
  python3 - "$work/report.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
assert report["books"]["balanced"], report["books"]
found = [t for t in report["tracebacks"]
         if any("KeepBlocks" in f["function"]
                for f in t["frames"])]
blocks = sum(t["blocks"] for t in found)
requested = sum(t["requested"] for t in found)
assert (blocks, requested) == (123, 123000), (blocks, requested)
PYTHON
  echo "$name: 123 blocks at their function"
}

echo "an installed heaptally, by find_package"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -S "$here/installed" -B "$work/installed" -G Ninja \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/installed" >/dev/null
for program in cxx_shared cxx_static c_shared c_static; do
  check "$work/installed/$program"
done

echo "an installed heaptally, by -lheaptally"
libraries=$(dirname "$(find "$work/prefix" -name libheaptally.so)")
cc -g -O1 "$here/installed/program.c" -o "$work/by_name" \
  -I"$work/prefix/include" -L"$libraries" -lheaptally -Wl,-rpath,"$libraries"
check "$work/by_name"
cc -g -O1 "$here/installed/program.c" -o "$work/by_file" \
  -I"$work/prefix/include" "$libraries/libheaptally.a" -lm
check "$work/by_file"

echo "tests, benchmarks and the flag, by find_package"
cmake -S "$here/testing" -B "$work/testing" -G Ninja \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/testing" >/dev/null
for program in tests_shared tests_static; do
  "$work/testing/$program" >"$work/told" && { echo "no failure"; exit 1; }
  grep -qF 'leaks 2 blocks, 132 bytes (144 usable)' "$work/told" ||
    { cat "$work/told"; exit 1; }
  grep -qE '/tests\.cc:13$' "$work/told" || { cat "$work/told"; exit 1; }
  grep -qxF ' 1 FAILED TEST' "$work/told" || { cat "$work/told"; exit 1; }
  echo "$program: a leak of 2 blocks at its line"
done
"$work/testing/figures" --benchmark_min_time=0.001 --benchmark_format=json \
  2>/dev/null >"$work/figures.json"
python3 - "$work/figures.json" <<'PYTHON'
import json, sys
run = json.load(open(sys.argv[1]))["benchmarks"][0]
found = run["allocs_per_iter"], run["max_bytes_used"], run["net_heap_growth"]
assert found == (2, 512, 0), found
PYTHON
echo "figures: 2 allocations, peak 512"
"$work/testing/on"
status=0
"$work/testing/off" || status=$?
[[ $status == 3 ]] || { echo "off: exit status $status"; exit 1; }
if nm -a "$work/testing/off" | grep -i heaptally ||
   readelf -d "$work/testing/off" | grep -i heaptally; then
  echo "heaptally is in a program for which it is not enabled"
  exit 1
fi
echo "heaptally_enable: on in its configurations, not a trace in others"

echo "an installed heaptally, by pkg-config"
export PKG_CONFIG_PATH=$libraries/pkgconfig
# shellcheck disable=SC2046
cc -g -O1 -DEXPECT_ACTIVE "$here/installed/program.c" -o "$work/by_pkg_config" \
  $(pkg-config --cflags --libs heaptally) -Wl,-rpath,"$libraries"
check "$work/by_pkg_config"

echo "fully static programs"
for kind in static static-pie; do
  cc -g -O1 "$here/installed/program.c" -o "$work/$kind" "-$kind" \
    -I"$work/prefix/include" "$libraries/libheaptally.a" -lm 2>"$work/linker" ||
    { cat "$work/linker"; exit 1; }
  check "$work/$kind"
done

echo "the installed command runs a program"
cc -g -O1 "$here/installed/program.c" -o "$work/preloaded"
"$work/prefix/bin/heaptally" run --at-exit "$work/x.heaptally" -- \
  "$work/preloaded"
test -s "$work/x.heaptally"

echo "heaptally as a part of another project"
cmake -S "$here/subproject" -B "$build/subproject" -G Ninja \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DHEAPTALLY_ROOT="$root" >/dev/null
cmake --build "$build/subproject" --target part >/dev/null
check "$build/subproject/part"
