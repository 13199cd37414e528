# For the scripts beside it: run a program with and without heaptally.
#
#   source common.sh       with $1 = the build directory
#   $work                  an empty directory, removed at the end
#   under NAME COMMAND…    runs COMMAND under heaptally, snapshot at exit
#   same WHAT A B          the two files are equal
#   check_books FILE LEAST the snapshot's books balance, and at least so many
#                          blocks were ever allocated
#   wait_for SECONDS COMMAND…
#                          tries COMMAND until it succeeds
#   started PID            PID is to be ended with the script
#
# Everything is bounded in time, and what was started is ended.
set -euo pipefail
build=$(cd "$1" && pwd)
heaptally=$build/bin/heaptally
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Short: the path of a Unix socket has 107 characters at most.
work=$(mktemp -d /tmp/heaptally-real.XXXXXX)
export LC_ALL=C TZ=UTC
processes=()

started() { processes+=("$1"); }

end() {
  local status=$? process
  for process in "${processes[@]}"; do
    kill "$process" 2>/dev/null || true
  done
  for process in "${processes[@]}"; do
    wait "$process" 2>/dev/null || true
  done
  rm -rf "$work"
  exit "$status"
}
trap end EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

under() {
  local name=$1
  shift
  timeout 240 "$heaptally" run --at-exit "$work/$name.heaptally" -- "$@"
}

same() {
  cmp "$2" "$3" || fail "$1 differ with and without heaptally"
  echo "$1: $(wc -c <"$2") bytes, equal"
}

check_books() {
  "$heaptally" report "$1" --json --top 1 >"$work/report.json"
  "$heaptally" dump "$1" --section facts --rows 0 >"$work/dump.txt"
  python3 "$here/check_books.py" "$work/report.json" "$work/dump.txt" "$2" ||
    fail "the books of $(basename "$1")"
}

wait_for() {
  local limit=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS >= limit)); then fail "waited in vain for: $*"; fi
    sleep 0.1
  done
}
