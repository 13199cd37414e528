#!/usr/bin/env bash
# From a bare machine to a comparison of two snapshots of a running program.
#
# Installs what is missing, builds, runs the demo under heaptally, takes two
# snapshots of the running process and prints what grew between them. Leaves the
# snapshots in build/demo. Quick the second time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[[ -t 1 ]] || say() { printf '\n%s\n' "$*"; }

say "1. Installing what is missing"
bash integration/scripts/install-deps.sh build

say "2. Building heaptally"
mkdir -p build/logs build/demo
options=()
if [[ ! -e build/CMakeCache.txt ]]; then
  # tests/run.sh turns the tests on, and installs what they need.
  options=(-DHEAPTALLY_BUILD_TESTS=OFF)
fi
build() {
  cmake --preset release "${options[@]}" &&
    cmake --build --preset release --target heaptally heaptally_static \
      heaptally_tool monsters
}
if ! build >build/logs/quickstart.log 2>&1; then
  tail -n 40 build/logs/quickstart.log
  echo "quickstart failed: the build, see build/logs/quickstart.log"
  exit 1
fi
echo "build/lib/libheaptally.so, build/lib/libheaptally.a, build/bin/heaptally"

say "3. Running the demo under heaptally: build/bin/heaptally run -- monsters"
heaptally=build/bin/heaptally
coproc DEMO { exec "$heaptally" run -- build/bin/monsters; }
demo=$DEMO_PID
trap 'kill "$demo" 2>/dev/null || true' EXIT
exec {to_demo}>&"${DEMO[1]}" {from_demo}<&"${DEMO[0]}"
hear() {
  local line
  if ! read -r -t 30 -u "$from_demo" line; then
    echo "quickstart failed: the demo is silent"
    exit 1
  fi
  echo "monsters says: $line"
}
hear
"$heaptally" snapshot "$demo" -o build/demo/dusk.heaptally --label dusk
echo >&"$to_demo"
hear
"$heaptally" snapshot "$demo" -o build/demo/dawn.heaptally --label dawn
"$heaptally" stat "$demo"
echo >&"$to_demo"
hear
trap - EXIT
wait "$demo"

say "4. What grew from dusk to dawn: heaptally compare dusk dawn"
"$heaptally" compare build/demo/dusk.heaptally build/demo/dawn.heaptally --top 5

say "5. Next"
cat <<'NEXT'
  build/bin/heaptally view build/demo/*.heaptally      the same as a page
  build/bin/heaptally report build/demo/dawn.heaptally --by function
  build/bin/heaptally run -- YOUR-PROGRAM ARGUMENTS…   in one terminal, and
  build/bin/heaptally ps                               in another: its PID
  build/bin/heaptally snapshot PID -o one.heaptally    now, and again later
  build/bin/heaptally compare one.heaptally two.heaptally
NEXT
echo
echo "quickstart is done: two snapshots in build/demo, compared above"
