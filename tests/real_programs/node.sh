#!/usr/bin/env bash
# node: its heap is its own, its C++ half is not. Threads, buffers, compression.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cat >"$work/script.js" <<'JS'
const crypto = require('crypto'), zlib = require('zlib');
const {Worker, isMainThread, parentPort, workerData} = require('worker_threads');
function work(seed) {
  const words = [];
  for (let i = 0; i < 50000; ++i) words.push('w' + (seed * i * 7919) % 10007);
  const packed = zlib.deflateSync(Buffer.from(words.join(' ')));
  return crypto.createHash('sha256').update(packed).digest('hex');
}
if (!isMainThread) {
  parentPort.postMessage(work(workerData));
} else {
  console.log(work(1));
  const buffers = [];
  for (let i = 0; i < 2000; ++i) buffers.push(Buffer.alloc(8192 + i, i));
  console.log(Buffer.concat(buffers).reduce((a, b) => (a * 31 + b) | 0, 7));
  const workers = [2, 3, 4].map(seed => new Promise((done, failed) => {
    const worker = new Worker(__filename, {workerData: seed});
    worker.on('message', done);
    worker.on('error', failed);
  }));
  Promise.all(workers).then(digests => {
    console.log(digests.join('\n'));
    process.exitCode = 4;
  });
}
JS

status=0
node "$work/script.js" >"$work/plain.txt" || status=$?
[[ $status == 4 ]] || fail "node without heaptally gave $status"
status=0
under node node "$work/script.js" >"$work/under.txt" || status=$?
[[ $status == 4 ]] || fail "node under heaptally gave $status"
same "output of node" "$work/plain.txt" "$work/under.txt"
check_books "$work/node.heaptally" 50000
