#!/usr/bin/env bash
# git and the processes that it starts: add, commit, branch, merge, gc, clone.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=Monster GIT_AUTHOR_EMAIL=monster@example.org
export GIT_COMMITTER_NAME=Monster GIT_COMMITTER_EMAIL=monster@example.org
export GIT_AUTHOR_DATE='2024-01-01T00:00:00Z'
export GIT_COMMITTER_DATE='2024-01-01T00:00:00Z'

cat >"$work/script.sh" <<'SCRIPT'
set -eu
cd "$1"
run() { "${git[@]}" -c init.defaultBranch=main -c gc.auto=0 "$@"; }
run init -q repo
cd repo
for commit in 1 2 3 4 5 6; do
  for file in $(seq 1 60); do
    mkdir -p "d$((file % 7))"
    seq "$commit" $((commit * file)) >"d$((file % 7))/f$file"
  done
  run add -A
  run commit -q -m "state $commit"
done
run branch side HEAD~2
run rm -q -r d3
run commit -q -m "without d3"
run merge -q side -m "the side again" || true
run gc -q --aggressive --prune=now
run fsck --full
cd ..
run clone -q --no-local repo copy
cd copy
run log --stat --format='%H %T %s'
run grep -c 17 | sort
run diff HEAD~3 | run patch-id
SCRIPT

mkdir "$work/plain" "$work/under"
(git=(git); source "$work/script.sh" "$work/plain") \
  >"$work/plain.txt" 2>"$work/plain.err"
(git=("$heaptally" run --follow --at-exit "$work/git-%p.heaptally" -- git)
  source "$work/script.sh" "$work/under") \
  >"$work/under.txt" 2>"$work/under.err"
same "output of git" "$work/plain.txt" "$work/under.txt"
same "errors of git" "$work/plain.err" "$work/under.err"

files=("$work"/git-*.heaptally)
((${#files[@]} >= 30)) || fail "only ${#files[@]} snapshots of git processes"
largest=$(ls -S "$work"/git-*.heaptally | head -n 1)
check_books "$largest" 1000
echo "${#files[@]} processes of git"
