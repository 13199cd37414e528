#!/usr/bin/env bash
# python3 with its own pools switched off, so that every object is a block.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
python=/usr/bin/python3
export PYTHONMALLOC=malloc PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1

cat >"$work/script.py" <<'PYTHON'
import collections, concurrent.futures, ctypes, decimal, gc, hashlib, json
import os, re, sqlite3, struct, subprocess, sys, weakref, zlib

class Node:
    def __init__(self, left, right):
        self.left, self.right = left, right

def tree(depth):
    return None if depth == 0 else Node(tree(depth - 1), tree(depth - 1))

def count(node):
    return 0 if node is None else 1 + count(node.left) + count(node.right)

def work(seed):
    words = [f"w{(seed * i * 7919) % 10007}" for i in range(20000)]
    counted = collections.Counter(words)
    text = " ".join(sorted(counted))
    return hashlib.sha256(zlib.compress(text.encode())).hexdigest()

print(count(tree(15)))
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    print(list(pool.map(work, range(1, 9))))
document = {str(i): [i, i / 7, None, {"k": "v" * (i % 50)}] for i in range(3000)}
print(hashlib.md5(json.dumps(json.loads(json.dumps(document))).encode()).hexdigest())
print(len(re.findall(r"(\w)(\d+)\1?", " ".join(f"a{i}a" for i in range(20000)))))
db = sqlite3.connect(":memory:")
db.execute("create table t(a, b)")
db.executemany("insert into t values(?, ?)", ((i, str(i)) for i in range(20000)))
print(db.execute("select sum(a), max(b) from t").fetchone())
print(sum(map(decimal.Decimal, ("0.1", "0.2", "3"))), struct.pack("<d", 0.5).hex())
cycles = []
for i in range(1000):
    a = Node(None, None); a.left = a; cycles.append(weakref.ref(a))
del a; gc.collect(); print(sum(r() is not None for r in cycles))
pid = os.fork()
if pid == 0:
    garbage = [bytearray(n) for n in range(5000)]
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(subprocess.run(["echo", "child"], capture_output=True, text=True).stdout)
libc = ctypes.CDLL(None)
libc.strdup.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
for i in range(1000): libc.free(libc.strdup(b"x" * i))
sys.exit(3)
PYTHON

status=0
"$python" "$work/script.py" >"$work/plain.txt" || status=$?
[[ $status == 3 ]] || fail "python3 without heaptally gave $status"
status=0
under python "$python" "$work/script.py" >"$work/under.txt" || status=$?
[[ $status == 3 ]] || fail "python3 under heaptally gave $status"
same "output of python3" "$work/plain.txt" "$work/under.txt"
check_books "$work/python.heaptally" 500000
