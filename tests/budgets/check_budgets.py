#!/usr/bin/env python3
"""Instructions of an allocation and its free, against the committed table.

    check_budgets.py [--update] LIBRARY PAIRS TABLE

callgrind counts the instructions of N pairs, which repeat exactly. A count may
be 3 % above the one in TABLE and never above the limit there. --update writes
what was counted into TABLE. Exit status: 0 within the budgets, 1 not.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

TOLERANCE = 0.03
PAIRS = 20000


def instructions_of_a_pair(library, program, doors, mode):
    environment = dict(os.environ, LD_PRELOAD=library,
                       HEAPTALLY=f"mode={mode}")
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         "--toggle-collect=Counted", program, doors, str(PAIRS)],
        env=environment, capture_output=True, text=True, timeout=60,
        check=False)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or collected is None:
        sys.exit(f"callgrind failed, status {run.returncode}:\n{run.stderr}")
    return int(collected.group(1)) / PAIRS


def read_table(path):
    """The comment, and rows of doors, mode, count, limit or None."""
    comment, rows = [], []
    with open(path, encoding="ascii") as lines:
        for line in lines:
            if line.startswith("#"):
                comment.append(line)
                continue
            doors, mode, count, limit = line.rstrip("\n").split("\t")
            rows.append((doors, mode, float(count),
                         None if limit == "-" else float(limit)))
    return comment, rows


def write_table(path, comment, rows):
    with open(path, "w", encoding="ascii") as table:
        table.writelines(comment)
        for doors, mode, count, limit in rows:
            last = "-" if limit is None else f"{limit:g}"
            table.write(f"{doors}\t{mode}\t{count:.1f}\t{last}\n")


def complaint(count, budget, limit):
    if limit is not None and count > limit:
        return f"over the limit of {limit:g}"
    if count > budget * (1 + TOLERANCE):
        return f"more than {TOLERANCE:.0%} over the budget of {budget:g}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    parser.add_argument("library")
    parser.add_argument("pairs")
    parser.add_argument("table")
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is missing: integration/scripts/install-deps.sh test")
    comment, rows = read_table(arguments.table)
    counted, failures = [], 0
    for doors, mode, budget, limit in rows:
        count = instructions_of_a_pair(arguments.library, arguments.pairs,
                                       doors, mode)
        wrong = complaint(count, budget, limit)
        failures += wrong is not None
        print(f"{doors:<8}{mode:<16}{count:8.1f}  {wrong or 'ok'}")
        counted.append((doors, mode, count, limit))
    if arguments.update:
        write_table(arguments.table, comment, counted)
        return 0
    assert len(rows) == 9, "a row is missing from the table"
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
