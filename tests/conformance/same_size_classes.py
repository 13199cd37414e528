#!/usr/bin/env python3
"""same_size_classes.py PROGRAM STOCK_LIBRARY HEAPTALLY_LIBRARY

Runs PROGRAM, which prints usable sizes, under both libraries and compares the
lines. Exit status: 0 equal, 1 different.
"""

import os
import subprocess
import sys


def lines_under(program, library):
    env = dict(os.environ, LD_PRELOAD=library)
    done = subprocess.run([program], env=env, check=True, capture_output=True,
                          text=True)
    return done.stdout.splitlines()


def main():
    program, stock_library, our_library = sys.argv[1:]
    stock = lines_under(program, stock_library)
    ours = lines_under(program, our_library)
    different = [(a, b) for a, b in zip(stock, ours) if a != b]
    for a, b in different[:20]:
        print(f"stock: {a}; here: {b}")
    print(f"{len(stock)} and {len(ours)} lines, {len(different)} different")
    return 1 if different or len(stock) != len(ours) or not stock else 0


if __name__ == "__main__":
    sys.exit(main())
