#!/usr/bin/env python3
"""The figures of heaptally::benchmark: figures_test.py BENCHMARKS JEMALLOC"""

import json
import os
import subprocess
import sys

# For each iteration: allocations. For the extra run: peak, total, growth. In
# usable bytes; it has 16 iterations, or as many as the benchmark if fewer.
WANTED = {
    "Nothing": (0, 0, 0, 0),
    "ThreeBlocks": (3, 3 * 1024, 16 * 3 * 1024, 0),
    "WithCounters/threads:1": (1, 2048, 16 * 2048, 0),
    "WithCounters/threads:2": (1, 2048, 16 * 2048, 0),
    "Keeps/iterations:50": (1, 16 * 112, 16 * 112, 16 * 112),
}


def run(*flags, preload=None):
    environment = dict(os.environ)
    environment.pop("HEAPTALLY", None)
    if preload:
        environment["LD_PRELOAD"] = preload
    return subprocess.run([sys.argv[1], "--benchmark_min_time=0.001", *flags],
                          env=environment, text=True, capture_output=True,
                          timeout=60, check=True)


def main():
    out = sys.argv[1] + ".figures.json"
    console = run("--benchmark_out=" + out, "--benchmark_out_format=json")
    with open(out, encoding="utf-8") as file:
        found = {b["run_name"]: (b["allocs_per_iter"], b["max_bytes_used"],
                                 b["total_allocated_bytes"],
                                 b["net_heap_growth"])
                 for b in json.load(file)["benchmarks"]}
    if found != WANTED:
        sys.exit(f"expected {WANTED}\nfound    {found}\n{console.stderr}")
    line = next(line for line in console.stdout.splitlines()
                if line.startswith("ThreeBlocks"))
    for counter in ("allocs=3", "peak=3k", "total=48k", "growth=0"):
        if counter not in line:
            sys.exit(f"no {counter} in {line}")
    other = run(preload=sys.argv[2])
    if "no memory figures: heaptally is not the allocator" not in other.stderr:
        sys.exit(f"another allocator is not told: {other.stderr}")
    if "allocs=" in other.stdout:
        sys.exit(f"figures under another allocator: {other.stdout}")
    print("ok: the figures of", ", ".join(found))


if __name__ == "__main__":
    main()
