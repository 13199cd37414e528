#!/usr/bin/env python3
"""same_output.py LIBRARY -- PROGRAM ARGS...

Runs the program under the C library's own allocator and under LIBRARY in each
recording mode: status and standard output must be equal. Exit status: 0 equal, 1 different.
"""

import os
import subprocess
import sys

MODES = ("counters", "sampled=4096", "all")
SECONDS = 120


def run(command, **variables):
    env = dict(os.environ, **variables)
    try:
        done = subprocess.run(command, env=env, timeout=SECONDS, check=False,
                              capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return ("hung", "")
    return (done.returncode, done.stdout + done.stderr[-2000:]
            if done.returncode else done.stdout)


def main():
    library, command = sys.argv[1], sys.argv[3:]
    expected = run(command)
    if expected[0] != 0 or not os.path.exists(library):
        print("cannot be judged:", library, expected)
        return 1
    wrong = 0
    for mode in MODES:
        seen = run(command, LD_PRELOAD=library, HEAPTALLY=f"mode={mode}")
        if seen != expected:
            print(f"under mode={mode}: {seen}; expected {expected}")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
