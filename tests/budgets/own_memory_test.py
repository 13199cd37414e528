#!/usr/bin/env python3
"""The memory that heaptally itself takes obeys its rule: 8 bytes for each block
slot of the pages in use, and 8 bytes a page in the map.

    own_memory_test.py HEAPTALLY MANY_SMALL_BLOCKS
"""

import json
import subprocess
import sys

BLOCKS = 1000000
SLOTS_OF_A_PAGE = 86  # Blocks of 48 bytes that can begin in 4096.
WORD = 8
MAP_PAGE = 4096
CHUNK_HEADS = 1.02
LEFT_OVER = 3 << 20

failures = []


def at_most(what, got, limit):
    print(f"{what}: {got}, at most {limit:.0f}")
    if got > limit:
        failures.append(f"{what}: {got} is more than {limit:.0f}")


def at_least(what, got, limit):
    if got < limit:
        failures.append(f"{what}: {got} is less than {limit}")


def own_memory(heaptally, pid):
    stat = subprocess.run([heaptally, "stat", str(pid), "--json"], check=True,
                          stdout=subprocess.PIPE, timeout=60)
    own = json.loads(stat.stdout)["own_memory"]
    parts = sum(size for part, size in own.items() if part != "total")
    if parts != own["total"]:
        failures.append(f"the parts add up to {parts}: {own}")
    return own


def main():
    heaptally, program = sys.argv[1:]
    process = subprocess.Popen([heaptally, "run", "--", program],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True)

    def stage(name):
        words = process.stdout.readline().split()
        assert words[:1] == [name], words
        own = own_memory(heaptally, process.pid)
        process.stdin.write("\n")
        process.stdin.flush()
        return own, [int(word) for word in words[1:]]

    try:
        before, _ = stage("before")
        held, (pages, map_pages, regions) = stage("held")
        freed, _ = stage("freed")
        process.communicate(timeout=60)
    finally:
        process.kill()
    headers = held["side_headers"] - before["side_headers"]
    at_least("side headers", headers, BLOCKS * WORD)
    at_most("side headers", headers,
            pages * SLOTS_OF_A_PAGE * WORD * CHUNK_HEADS)
    page_map = held["page_map"] - before["page_map"]
    at_least("page map", page_map, pages * WORD // 2)
    at_most("page map", page_map, (map_pages + regions) * MAP_PAGE)
    at_most("side headers when all is freed", freed["side_headers"], LEFT_OVER)
    if process.returncode != 0:
        failures.append(f"exit status {process.returncode}")
    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
