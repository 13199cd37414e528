#!/usr/bin/env bash
# nginx, master and worker: files served whole, a snapshot of the busy worker.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
nginx=$(PATH=$PATH:/usr/sbin command -v nginx)

mkdir "$work/www"
seq 1 400000 >"$work/www/large.txt"
seq 1 100 >"$work/www/small.txt"
cat >"$work/nginx.conf" <<CONF
daemon off;
worker_processes 1;
pid $work/nginx.pid;
error_log $work/error.log;
$([[ $(id -u) != 0 ]] || echo 'user root;')
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path $work/body;
  proxy_temp_path $work/proxy;
  fastcgi_temp_path $work/fastcgi;
  uwsgi_temp_path $work/uwsgi;
  scgi_temp_path $work/scgi;
  gzip on;
  gzip_types text/plain;
  server { listen unix:$work/nginx.sock; root $work/www; }
}
CONF
get() {
  curl --silent --show-error --fail --max-time 20 \
    --unix-socket "$work/nginx.sock" "${@:2}" "http://localhost/$1"
}

"$heaptally" run --follow --at-exit "$work/nginx-%p.heaptally" -- \
  "$nginx" -c "$work/nginx.conf" 2>"$work/nginx.err" &
master=$!
started "$master"
wait_for 20 get small.txt

for _ in $(seq 1 60); do get small.txt >>"$work/small.out"; done
for _ in $(seq 1 60); do cat "$work/www/small.txt"; done >"$work/small.want"
same "a small file, 60 times" "$work/small.want" "$work/small.out"
for _ in 1 2 3 4 5; do
  get large.txt --compressed >"$work/large.out"
  cmp "$work/www/large.txt" "$work/large.out" || fail "the large file"
done
same "a large file, compressed" "$work/www/large.txt" "$work/large.out"

worker=$(pgrep -P "$master" | head -n 1)
get large.txt --compressed --limit-rate 2M >"$work/busy.out" &
client=$!
started "$client"
"$heaptally" snapshot "$worker" -o "$work/busy.heaptally" >/dev/null
check_books "$work/busy.heaptally" 100
wait "$client"
same "the file served meanwhile" "$work/www/large.txt" "$work/busy.out"

kill -QUIT "$master"
wait "$master" || fail "nginx ended with status $?"
[[ ! -s $work/error.log ]] || fail "nginx says: $(cat "$work/error.log")"
check_books "$work/nginx-$master.heaptally" 100
