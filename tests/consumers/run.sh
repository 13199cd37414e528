#!/usr/bin/env bash
# Programs that link with heaptally as a user's would. run.sh BUILD
#
# Installs BUILD into an empty directory and links with it by find_package and
# by -lheaptally, shared and static, in C and in C++; then builds heaptally as a
# part of another project. Each program allocates 123 blocks of 1000 bytes and
# leaves a snapshot at exit that must show them at their function.
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
