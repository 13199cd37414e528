#!/usr/bin/env bash
# redis-server under the load of redis-benchmark, snapshots while it works.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
server=(redis-server --port 0 --unixsocket "$work/redis.sock"
  --dir "$work" --save "" --daemonize no --enable-debug-command yes
  --activedefrag no)

cli() { redis-cli -s "$work/redis.sock" "$@"; }

# The same commands give the same data set, whatever the allocator.
fill() {
  for i in $(seq 1 3000); do
    echo "SET key:$i $(printf 'value%.0s' $(seq 1 $((i % 20))))$i"
    echo "RPUSH list:$((i % 10)) element-$i"
    echo "HSET hash:$((i % 30)) field-$i $i"
    echo "ZADD sorted $((i * 7919 % 3001)) member-$i"
  done | cli >/dev/null
  cli BGSAVE
  wait_for 20 test -s "$work/dump.rdb"
  cli DEBUG DIGEST
  cli ZRANGE sorted 100 110 WITHSCORES
  cli SORT list:3 ALPHA LIMIT 0 5
  cli EVAL 'local s = 0 for i = 1, 50000 do s = s + #(tostring(i)) end return s' 0
  cli DBSIZE
  rm -f "$work/dump.rdb"
}

"${server[@]}" >"$work/plain.log" &
plain=$!
started "$plain"
wait_for 20 cli PING
fill >"$work/plain.txt"
cli SHUTDOWN NOSAVE || true
wait "$plain" || fail "redis-server without heaptally ended with status $?"

"$heaptally" run --at-exit "$work/redis.heaptally" -- "${server[@]}" \
  >"$work/under.log" &
under=$!
started "$under"
wait_for 20 cli PING
fill >"$work/under.txt"
same "answers of redis" "$work/plain.txt" "$work/under.txt"

"$heaptally" snapshot "$under" -o "$work/before.heaptally" >/dev/null
redis-benchmark -s "$work/redis.sock" -q -n 20000 -r 5000 -c 20 \
  -t set,get,lpush,hset,zadd,mset >"$work/benchmark.txt" &
benchmark=$!
started "$benchmark"
sleep 0.5
for i in 1 2 3; do
  "$heaptally" snapshot "$under" -o "$work/loaded$i.heaptally" >/dev/null
done
wait "$benchmark" || fail "redis-benchmark ended with status $?"
for i in 1 2 3; do check_books "$work/loaded$i.heaptally" 10000; done
"$heaptally" compare "$work/before.heaptally" "$work/loaded3.heaptally" \
  --json >"$work/compare.json"
python3 - "$work/compare.json" <<'PYTHON'
import json, sys
net = json.load(open(sys.argv[1]))["totals"]["net"]
assert net["blocks"] > 1000, net
print(f"grown under load by {net['blocks']} blocks, {net['requested']} bytes")
PYTHON
cli SHUTDOWN NOSAVE || true
wait "$under" || fail "redis-server under heaptally ended with status $?"
check_books "$work/redis.heaptally" 100000
