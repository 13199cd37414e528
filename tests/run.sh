#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test.
#
#   tests/run.sh               everything, within half an hour on two cores
#   tests/run.sh --quick       the release build, its tests, the format
#   tests/run.sh --soak        everything, with ten minutes of fuzzing
#   tests/run.sh --step NAME   one step, in the foreground; browser-large, which
#                              measures the page on a large snapshot, only so
#   tests/run.sh --list        the names of the steps
#
# Each step keeps its output in build/logs/NAME.log and shows the end of it when
# it fails. The last line is `N passed, N failed`; the exit status tells the
# same. A second run builds and checks only what changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly root=$PWD logs=$PWD/build/logs
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}

# name, seconds it may take at most, what it is. Those that come after a name
# with & go on beside it: it needs one core, and they mostly wait.
readonly steps=(
  'packages 900 Debian packages'
  'build 900 release build, GCC, warnings are errors'
  'tests 900 unit and scenario tests'
  'real 600 real programs'
  'consumers 300 programs that link with an installed heaptally'
  'clang 900 release build, Clang, warnings are errors'
  'clang-tests 600 the tests in the Clang build'
  'asan 900 tests under AddressSanitizer and UBSan'
  'tsan 600 the concurrent structures under ThreadSanitizer'
  '&fuzz 900 reader of snapshots under libFuzzer'
  'page 300 the page: types, its logic, and what is shipped is built from it'
  'browser 300 the page in a browser'
  'verify 600 every stack of real programs walked twice'
  'bench 600 benchmarks, smoke run'
  'format 60 clang-format, file sizes'
  'tidy 1200 clang-tidy'
)

configure() { cmake --preset "$1" "${@:2}" >/dev/null; }
configure_and_build() {
  configure "$@"
  cmake --build --preset "$1"
}

run_packages() { integration/scripts/install-deps.sh build test lint page; }
run_build() {
  configure_and_build release -DHEAPTALLY_BUILD_TESTS=ON \
    -DHEAPTALLY_BUILD_BENCHMARKS=ON
}
run_tests() { ctest --preset release -LE real; }
run_real() { ctest --preset release -L real; }
run_page() { integration/scripts/page.sh; }
run_browser() {
  integration/scripts/with-node.sh --npm-ci tests/page
  integration/scripts/with-node.sh node tests/page/run.mjs build
}
run_browser-large() {
  integration/scripts/with-node.sh --npm-ci tests/page
  integration/scripts/with-node.sh node bench/page_speed.mjs build
}
run_consumers() { tests/consumers/run.sh build; }
run_clang() { configure_and_build clang; }
run_clang-tests() { ctest --preset clang -LE real; }
run_asan() {
  configure_and_build asan
  UBSAN_OPTIONS=print_stacktrace=1 ctest --preset asan
}
run_tsan() {
  local tests=(traceback_table_test page_map_test unwind_rules_test)
  configure tsan
  cmake --build --preset tsan --target "${tests[@]}"
  TSAN_OPTIONS=halt_on_error=1 ctest --preset tsan \
    -R "^($(IFS='|'; echo "${tests[*]}"))\$"
}
run_fuzz() {
  local fuzzer corpus
  configure fuzz
  [[ -s build-fuzz/fuzzers.txt ]] || { echo "no fuzzer is built"; return 1; }
  while read -r fuzzer corpus; do
    cmake --build --preset fuzz --target "$fuzzer"
    integration/scripts/fuzz.sh "build-fuzz/bin/$fuzzer" "$corpus" \
      "${HEAPTALLY_FUZZ_SECONDS:-60}"
  done <build-fuzz/fuzzers.txt
}
# The command is the same: only the runtime is another one.
run_verify() {
  configure verify
  cmake --build --preset verify --target heaptally
  mkdir -p build-verify/bin
  cp build/bin/heaptally build-verify/bin/
  HEAPTALLY_EXPECT_VERIFIED_WALKS=1 \
    tests/real_programs/run_all.sh build-verify
}
run_bench() {
  local program
  for program in build/bin/*_benchmark; do
    "$program" --benchmark_min_time=0.01
  done
  python3 bench/costs.py --build build --runs 1 pair snapshot
}
run_format() { integration/scripts/lint.sh format; }
run_tidy() {
  cmake --preset clang >/dev/null
  integration/scripts/lint.sh tidy build-clang
}

# Adds what a step's log tells to passed and failed.
count() {
  local name=$1 status=$2 good=0 bad=0 line
  line=$(grep -E '^[0-9]+% tests passed, ' "$logs/$name.log" | tail -1 || true)
  if [[ $line =~ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
    bad=${BASH_REMATCH[1]}
    good=$((BASH_REMATCH[2] - bad))
  else
    # Node's test runner.
    good=$(sed -n 's/^ℹ pass //p' "$logs/$name.log" | tail -1)
    bad=$(sed -n 's/^ℹ fail //p' "$logs/$name.log" | tail -1)
  fi
  if [[ $status != 0 && ${bad:-0} == 0 ]]; then bad=1; fi
  if [[ $status == 0 && -z $good ]]; then good=1; fi
  passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-0}))
}

run_step() {
  local name=$1 limit=$2 what=$3 status=0 began=$SECONDS
  printf '%-12s %s ... ' "$name" "$what"
  timeout --kill-after=10 "$limit" "$root/tests/run.sh" --step "$name" \
    </dev/null >"$logs/$name.log" 2>&1 || status=$?
  count "$name" "$status"
  if [[ $status == 0 ]]; then
    echo "ok, $((SECONDS - began)) s"
    return
  fi
  [[ $status != 124 ]] || echo "stopped after $limit s" >>"$logs/$name.log"
  echo "FAILED, $((SECONDS - began)) s; the end of build/logs/$name.log:"
  tail -n 60 "$logs/$name.log" | sed 's/^/    /'
}

# Runs a step beside the next ones; told and counted by wait_for_others().
others=()
run_beside() {
  local name=$1
  (
    passed=0 failed=0
    run_step "$@" >"$logs/$name.told"
    echo "$passed $failed" >"$logs/$name.count"
  ) &
  others+=("$name")
}

wait_for_others() {
  local name more_passed more_failed
  wait
  for name in "${others[@]}"; do
    cat "$logs/$name.told"
    read -r more_passed more_failed <"$logs/$name.count"
    passed=$((passed + more_passed)) failed=$((failed + more_failed))
    rm "$logs/$name.told" "$logs/$name.count"
  done
}

only=
case ${1:-} in
  '') ;;
  --quick) only=' packages build tests format ' ;;
  --soak) export HEAPTALLY_FUZZ_SECONDS=600 ;;
  --step) "run_$2"; exit ;;
  --list) printf '%s\n' "${steps[@]#&}"; exit ;;
  *) sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
esac

mkdir -p "$logs"
passed=0 failed=0
for step in "${steps[@]}"; do
  read -r name limit what <<<"$step"
  if [[ -n $only && $only != *" ${name#&} "* ]]; then continue; fi
  if [[ $name == '&'* ]]; then
    run_beside "${name#&}" "$limit" "$what"
  else
    run_step "$name" "$limit" "$what"
  fi
done
wait_for_others
echo "took $SECONDS s"
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
