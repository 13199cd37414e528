#!/usr/bin/env bash
# Runs every script beside it, two at a time. run_all.sh BUILD
set -euo pipefail
build=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
one() {
  local script=$1 output status=0 began=$SECONDS
  output=$(timeout 300 bash "$script" "$2" 2>&1) || status=$?
  echo "$output" | sed "s|^|$(basename "$script" .sh): |"
  echo "$(basename "$script" .sh): status $status, $((SECONDS - began)) s"
  [[ $status == 0 ]]
}
export -f one
for script in tests/real_programs/*.sh; do
  case $script in */common.sh | */run_all.sh) ;; *) echo "$script" ;; esac
done | xargs -P 2 -I '{}' bash -c 'one {} "$0"' "$build"
