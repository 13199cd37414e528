#!/usr/bin/env python3
"""The snapshot that a program leaves at its end.

    control_at_exit_test.py RUNTIME HOST [TEST...]
"""

import os
import sys

from control import Snapshot
from hosted import equal, host, main, names_in


def at_exit(folder, *words, options="", **more):
    program = host(folder, *words, control=False, options=options, **more)
    with program:
        return program.pid, *program.end()


def test_the_snapshot_at_exit_has_the_whole_heap(folder):
    pid, status, errors = at_exit(folder, "big", 5,
                                  options=f",at_exit={folder}/x-%p")
    equal((status, errors), (0, ""))
    snapshot = Snapshot(f"{folder}/x-{pid}")
    snapshot.check_books()
    equal(list(snapshot.column("blocks.requested")).count(64), 5 << 14)
    equal(snapshot.text("notes"), "label=at exit\n")
    equal(names_in(folder), [f"x-{pid}"])


def test_a_snapshot_at_exit_that_fails_is_one_sentence(folder):
    _, status, errors = at_exit(folder, "sleep",
                                options=f",at_exit={folder}/none/x")
    equal(status, 7)
    equal(errors, "heaptally: the snapshot at exit was not written to "
                  f"{folder}/none/x: the file cannot be created\n")


def test_a_relative_name_at_exit_is_where_the_program_began(folder):
    _, status, errors = at_exit(folder, "chdir", options=",at_exit=x",
                                prepare=lambda: os.chdir(folder))
    equal((status, errors), (0, ""))
    Snapshot(f"{folder}/x").check_books()


def test_a_fork_child_writes_only_to_a_name_of_its_own(folder):
    at_exit(folder, "fork_exit", options=f",at_exit={folder}/x")
    equal(Snapshot(f"{folder}/x").number("ppid"), os.getpid())
    pid, _, _ = at_exit(folder, "fork_exit", options=f",at_exit={folder}/y%p")
    written = [name for name in names_in(folder) if name[0] == "y"]
    equal(len(written), 2)
    assert f"y{pid}" in written


def packer(folder, body):
    path = f"{folder}/packer"
    with open(path, "w") as file:
        file.write(f"#!/bin/sh\n{body}\n")
    os.chmod(path, 0o755)
    return path


def test_the_packer_runs_when_the_program_ends(folder):
    path = packer(folder, f'echo "$1 $2 [$LD_PRELOAD$HEAPTALLY]" >{folder}/log;'
                  f' test -e /proc/$$/fd/3 || echo clean >>{folder}/log;'
                  ' echo said; cat')
    _, status, errors = at_exit(
        folder, "child_signals",
        options=f",at_exit={folder}/x,packer={path}")
    # The program heard of no child, and what the packer says is on stderr.
    equal((status, errors), (0, "said\n"))
    with open(f"{folder}/log") as file:
        equal(file.read(), f"pack {folder}/x []\nclean\n")
    Snapshot(f"{folder}/x").check_books()


def test_a_packer_that_fails_leaves_status_and_file(folder):
    for path, sentence in [
            (packer(folder, "exit 3"), "it failed: "),
            (f"{folder}/none", "cannot run ")]:
        _, status, errors = at_exit(
            folder, "sleep", options=f",at_exit={folder}/x,packer={path}")
        equal((status, errors), (7, "heaptally: the snapshot at exit is not "
                                    f"packed: {sentence}{path}\n"))
        Snapshot(f"{folder}/x").check_books()


def test_a_fork_during_a_capture_can_be_captured_itself(folder):
    with host(folder, "forks", 60) as program, program.connect() as connection:
        for i in range(10):
            connection.snapshot(f"{folder}/a")
            child = int(program.line())
            with program.connect(child) as of_child:
                of_child.snapshot(f"{folder}/b").check_books()
            program.tell("next")
        equal(program.end()[0], 0)


if __name__ == "__main__":
    main(sys.modules["__main__"])
