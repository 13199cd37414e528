#!/usr/bin/env python3
"""check_model.py --library LIB [--tool HEAPTALLY] PROGRAM SEED THREADS STEPS
                  WAY [--min-size N]

Runs the random program under heaptally and compares every snapshot, and every
pair of snapshots, with what the program's own model says. Exit status: 0 all
equal, 1 not.
"""

import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import heaptally_file as hf
import tool_answers

DOORS = 18
STRDUP = 9  # Its caller called the C library, which called malloc.
SITES = 20
KEYS = DOORS * SITES
REASON_KEYS = {1: KEYS, 3: KEYS + 1}
ZERO = (0, 0, 0)


def plus(a, b):
    return tuple(x + y for x, y in zip(a, b))


def minus(a, b):
    return tuple(x - y for x, y in zip(a, b))


class Complaints:
    def __init__(self):
        self.count = 0

    def expect(self, what, seen, expected):
        if seen != expected:
            self.count += 1
            if self.count <= 40:
                print(f"{what}: {seen}, the model says {expected}")


def depth_of(key):
    """Tracebacks begin in the caller of the door, with no frame before it."""
    return 1 if key is not None and key % DOORS == STRDUP else 0


def site_functions(program):
    """[(start, end, key)] of the functions that call doors, by nm; with key None
    the signal handler, whose blocks are not those of the code it interrupts."""
    listing = subprocess.run(["nm", "-S", program], check=True, text=True,
                             capture_output=True).stdout
    found = []
    handlers = []
    for line in listing.splitlines():
        match = re.match(r"(\w+) (\w+) \w \S*AllocateAtILi(\d+)ELi(\d+)E", line)
        if match:
            start, size, site, door = match.groups()
            found.append((int(start, 16), int(start, 16) + int(size, 16),
                          int(site) * DOORS + int(door)))
        match = re.match(r"(\w+) (\w+) \w \S*7HandlerEi$", line)
        if match:
            start, size = (int(text, 16) for text in match.groups())
            handlers.append((start, start + size, None))
    assert len(found) == KEYS and len(handlers) == 1, (len(found), handlers)
    return sorted(found + handlers)


class Snapshot:
    def __init__(self, expectation, program, functions):
        self.expected = expectation
        self.file = hf.File(expectation["file"])
        self.functions = functions
        self.bias = self.file.bias_of(program)
        self.keys = self.keys_of_tracebacks()

    def key_of(self, traceback):
        if traceback < hf.FIRST_ID:
            return REASON_KEYS.get(traceback)
        for depth, pc in enumerate(self.file.frames(traceback)):
            for start, end, key in self.functions:
                if start < pc - self.bias <= end:
                    assert depth == depth_of(key), (
                        f"{describe(key)} is frame {depth} of its traceback")
                    return key
        return None

    def keys_of_tracebacks(self):
        count = len(self.file.column(hf.TRACEBACKS_NODE))
        return [self.key_of(traceback) for traceback in range(count)]

    def amounts(self, kind):
        """{key: amount}; None stands for everything that is not the model's."""
        sums = {}
        for key, amount in zip(self.keys, self.file.amounts(kind)):
            sums[key] = plus(sums.get(key, ZERO), amount)
        return sums

    def expected_amounts(self, name):
        return {int(key): tuple(account[name])
                for key, account in self.expected["keys"].items()}


def check_books(file, complaints):
    current = file.amount("current")
    complaints.expect("side headers", file.amount("side_headers"), current)
    complaints.expect("tracebacks", file.amount("tracebacks"), current)
    blocks = file.blocks()
    columns = (len(blocks), sum(b[1] for b in blocks.values()),
               sum(b[2] for b in blocks.values()))
    complaints.expect("block columns", columns, current)
    total = ZERO
    for amount in file.amounts(hf.CURRENT):
        total = plus(total, amount)
    complaints.expect("traceback columns", total, current)
    total = ZERO
    for amount in file.amounts(hf.EVER):
        total = plus(total, amount)
    complaints.expect("ever columns", total, file.amount("ever"))


def check_totals(snapshot, base, complaints):
    total = snapshot.expected["total"]
    complaints.expect("total current", snapshot.file.amount("current"),
                      plus(base.file.amount("current"),
                           tuple(total["current"])))
    ever = plus(tuple(total["ever"]), tuple(snapshot.expected["ever_beside"]))
    complaints.expect("total ever", snapshot.file.amount("ever"),
                      plus(base.file.amount("ever"), ever))


def check_tracebacks(snapshot, base, arguments, complaints):
    if not snapshot.expected["keys_known"]:
        return
    for name, kind in (("current", hf.CURRENT), ("ever", hf.EVER)):
        seen = snapshot.amounts(kind)
        start = base.amounts(kind)
        expected = snapshot.expected_amounts(name)
        for key in (set(seen) | set(expected)) - {None}:
            complaints.expect(f"{name} of {describe(key)}",
                              seen.get(key, ZERO),
                              plus(start.get(key, ZERO),
                                   expected.get(key, ZERO)))
    if arguments.way == "fork":
        return  # A child of threads goes on in another place.
    counted = [key for key in snapshot.keys if key is not None and key < KEYS]
    complaints.expect("tracebacks of one call site", len(counted),
                      len(set(counted)))


def describe(key):
    if key is None or key >= KEYS:
        return {None: "the rest", KEYS: "before_recording",
                KEYS + 1: "below_min_size"}[key]
    return f"site {key // DOORS} door {key % DOORS}"


def check_peak(snapshot, base, arguments, complaints):
    if not snapshot.expected["peak_known"]:
        return
    bound = int(snapshot.file.facts()["peak_bound"])
    current = base.file.amount("current")
    expected = plus(current, tuple(snapshot.expected["total"]["own_peak"]))
    seen = snapshot.file.amount("peak")
    if expected[2] <= base.file.amount("peak")[2]:
        return
    if arguments.threads > 1:
        if abs(seen[2] - expected[2]) > bound:
            complaints.expect(f"peak within {bound}", seen, expected)
        return
    complaints.expect("peak bound of one thread", bound, 0)
    complaints.expect("peak", seen, expected)
    kinds = [("at_peak", hf.AT_PEAK)]
    if arguments.way != "reset":
        kinds.append(("own_peak", hf.OWN_PEAK))
    for name, kind in kinds if snapshot.expected["keys_known"] else []:
        amounts = snapshot.amounts(kind)
        expected = snapshot.expected_amounts(name)
        for key in set(amounts) | set(expected):
            if key is not None and key < KEYS:
                complaints.expect(f"{name} of {describe(key)}",
                                  amounts.get(key, ZERO),
                                  expected.get(key, ZERO))
    total = ZERO
    for amount in snapshot.file.amounts(hf.AT_PEAK):
        total = plus(total, amount)
    complaints.expect("composition of the peak", total, seen)


def check_blocks(snapshot, base, complaints):
    seen = snapshot.file.blocks()
    expected = {block[0]: block for block in snapshot.expected["blocks"]}
    for address, (_, key, _, requested, usable) in expected.items():
        block = seen.get(address)
        if block is None:
            complaints.expect(f"block {address:#x}", None, expected[address])
            continue
        if not snapshot.expected["keys_known"]:
            key = snapshot.keys[block[0]]
        complaints.expect(f"block {address:#x}",
                          (snapshot.keys[block[0]], block[1], block[2]),
                          (key, requested, usable))
    complaints.expect("blocks beside the model's",
                      {a: b for a, b in seen.items() if a not in expected},
                      base.file.blocks())


def check_pair(baseline, comparison, complaints):
    """New, freed and survived by birth epochs, as the model's serials say."""
    epoch = int(baseline.file.facts()["epoch"])
    old = {block[0]: block[2] for block in baseline.expected["blocks"]}
    new = {block[0]: block[2] for block in comparison.expected["blocks"]}
    seen = comparison.file.blocks()
    survived = {address for address, block in seen.items()
                if address in old and block[3] <= epoch}
    expected = {address for address, serial in new.items()
                if old.get(address) == serial}
    complaints.expect("survivors", len(survived), len(expected))
    complaints.expect("wrong survivors", survived ^ expected, set())


def run_program(arguments, directory):
    env = dict(os.environ, LD_PRELOAD=arguments.library)
    options = [f"mode={arguments.mode}", "control=on",
               f"socket_dir={directory}"]
    if arguments.min_size:
        options.append(f"min_size={arguments.min_size}")
    env["HEAPTALLY"] = ",".join(options)
    command = [arguments.program, directory, arguments.seed, arguments.threads,
               arguments.steps, arguments.way, arguments.min_size]
    subprocess.run([str(word) for word in command], env=env, check=True,
                   timeout=300)
    with open(os.path.join(directory, "expected.jsonl"),
              encoding="ascii") as lines:
        return [json.loads(line) for line in lines]


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--tool")
    parser.add_argument("--mode", default="all")
    parser.add_argument("--min-size", type=int, default=0)
    parser.add_argument("program")
    parser.add_argument("seed", type=int)
    parser.add_argument("threads", type=int)
    parser.add_argument("steps", type=int)
    parser.add_argument("way")
    return parser.parse_args()


def check(arguments, directory, complaints):
    program = os.path.realpath(arguments.program)
    functions = site_functions(program)
    expectations = run_program(arguments, directory)
    snapshots = [Snapshot(expectation, program, functions)
                 for expectation in expectations]
    base = snapshots[0]
    for name in sorted(glob.glob(f"{directory}/load*.heaptally")):
        check_books(hf.File(name), complaints)
    for number, snapshot in enumerate(snapshots):
        print(f"snapshot {number}: {len(snapshot.expected['blocks'])} blocks")
        check_books(snapshot.file, complaints)
        complaints.expect("foreign frees",
                          int(snapshot.file.facts()["foreign_frees"]), 0)
        check_totals(snapshot, base, complaints)
        check_tracebacks(snapshot, base, arguments, complaints)
        check_peak(snapshot, base, arguments, complaints)
        check_blocks(snapshot, base, complaints)
    pairs = [(a, b) for i, a in enumerate(snapshots) for b in snapshots[i + 1:]]
    for baseline, comparison in pairs:
        check_pair(baseline, comparison, complaints)
    if arguments.tool:
        tool_answers.check(arguments.tool, snapshots, complaints)


def main():
    arguments = parse_arguments()
    complaints = Complaints()
    with tempfile.TemporaryDirectory(prefix="heaptally-model-") as directory:
        check(arguments, directory, complaints)
    print(f"{complaints.count} differences")
    return 1 if complaints.count else 0


if __name__ == "__main__":
    sys.exit(main())
