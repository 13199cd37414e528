#!/usr/bin/env bash
# Runs one libFuzzer program over its corpus for a while.
#
#   fuzz.sh FUZZER CORPUS SECONDS
#
# New inputs go beside the program, never into the corpus that is kept in the
# repository; an input that breaks it is left there as crash-*.
set -euo pipefail
fuzzer=$1 corpus=$2 seconds=$3
found=$fuzzer.found
mkdir -p "$found"
seeds=()
if [[ -d $corpus ]]; then seeds=("$corpus"); fi
echo "fuzzing with $(basename "$fuzzer") for $seconds s"
"$fuzzer" "$found" "${seeds[@]}" -max_total_time="$seconds" -timeout=10 \
  -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
  -artifact_prefix="$found.crash-" 2>&1 | tail -n 40
