#!/usr/bin/env python3
"""Runs one program under one allocator and compares how it ends.

  run_case.py [--preload LIB] [--heaptally OPTIONS] [--exit N | --signal N]
              [--stdout TEXT] [--stderr TEXT] [--timeout S] -- PROGRAM ARGS...

The program must end in the time with exactly that status; its standard output
must be TEXT (when given) and its standard error must hold TEXT (when given).
A program that hangs is killed, and its threads' stacks are shown if gdb is
there. Exit status: 0 as expected, 1 not.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--preload")
    parser.add_argument("--heaptally")
    parser.add_argument("--allocator", default="glibc")
    parser.add_argument("--exit", type=int, default=0)
    parser.add_argument("--signal", type=int)
    parser.add_argument("--stdout")
    parser.add_argument("--stderr")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("program", nargs="+")
    return parser.parse_args()


def environment(arguments):
    env = dict(os.environ, ALLOCATOR_UNDER_TEST=arguments.allocator)
    env.pop("HEAPTALLY", None)
    env.pop("LD_PRELOAD", None)
    if arguments.preload:
        if not os.path.exists(arguments.preload):
            sys.exit(f"no such library: {arguments.preload}")
        env["LD_PRELOAD"] = arguments.preload
    if arguments.heaptally:
        env["HEAPTALLY"] = arguments.heaptally
    return env


def show_stacks(pid):
    if not shutil.which("gdb"):
        return
    command = ["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 16"]
    try:
        seen = subprocess.run(command, capture_output=True, text=True,
                              timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return
    print(seen.stdout[-12000:])


def group_of(pgid):
    """The processes of a group that are still there."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.getpgid(int(name)) == pgid:
                    yield int(name)
            except ProcessLookupError:
                pass


def run(arguments):
    """Returns (status or None when it hung, stdout, stderr)."""
    # Files and not pipes: a grandchild that outlives the program would hold a
    # pipe open.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(arguments.program, env=environment(arguments),
                                   stdout=out, stderr=err, start_new_session=True)
        try:
            status = process.wait(arguments.timeout)
        except subprocess.TimeoutExpired:
            status = None
            for pid in group_of(process.pid):
                show_stacks(pid)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        out.seek(0)
        err.seek(0)
        return (status, out.read().decode(errors="replace"),
                err.read().decode(errors="replace"))


def complaints(arguments, status, out, err):
    expected = -arguments.signal if arguments.signal else arguments.exit
    if status is None:
        yield f"hung for {arguments.timeout:g} s"
    elif status != expected:
        yield f"ended with status {status}, expected {expected}"
    if arguments.stdout is not None and out.strip() != arguments.stdout:
        yield f"printed {out.strip()[-2000:]!r}, expected {arguments.stdout!r}"
    if arguments.stderr is not None and arguments.stderr not in err:
        yield f"standard error lacks {arguments.stderr!r}"


def main():
    arguments = parse_arguments()
    status, out, err = run(arguments)
    wrong = list(complaints(arguments, status, out, err))
    sys.stdout.write(out[-8000:])
    sys.stdout.write(err[-8000:])
    for complaint in wrong:
        print("not as expected:", complaint)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
