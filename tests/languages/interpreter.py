"""A Python program whose every object is a block of malloc (run it with
PYTHONMALLOC=malloc): threads, forks, loaded extensions, deep recursion. It
prints a line that does not depend on the allocator."""

import ctypes
import hashlib
import json
import multiprocessing
import re
import subprocess
import sys
import threading
import zlib


def churn(seed):
    table = {}
    for i in range(20000):
        table[i % 997] = [str(i * seed)] * (i % 20)
    return sum(len(value) for value in table.values())


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def in_threads():
    sums = [0] * 4

    def body(i):
        sums[i] = churn(i + 1)

    threads = [threading.Thread(target=body, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sums


def in_children():
    context = multiprocessing.get_context("fork")
    with context.Pool(3) as pool:
        return pool.map(churn, range(6))


def main():
    sys.setrecursionlimit(5000)
    text = json.dumps({"numbers": list(range(5000)), "words": ["w"] * 500})
    facts = [in_threads(), in_children(), depth(3000),
             len(re.findall(r"\d+", text)), len(json.loads(text)["numbers"]),
             hashlib.sha256(zlib.decompress(zlib.compress(text.encode())))
             .hexdigest(),
             subprocess.run(["echo", "child"], capture_output=True, text=True,
                            check=True).stdout.strip(),
             ctypes.CDLL(None).abs(-5)]
    print(hashlib.sha256(repr(facts).encode()).hexdigest())


if __name__ == "__main__":
    main()
