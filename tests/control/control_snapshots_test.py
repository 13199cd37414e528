#!/usr/bin/env python3
"""Snapshots of a running program, by the bare protocol.

    control_snapshots_test.py RUNTIME HOST [TEST...]
"""

import os
import random
import resource
import shutil
import subprocess
import sys
import time

from control import Program, Snapshot, wait_until
from hosted import HOST, RUNTIME, equal, host, main, names_in


def test_books_balance_while_threads_hammer(folder):
    for mode in ("all", "counters", "sampled=10000"):
        with host(folder, "hammer", 4, mode=mode) as program:
            with program.connect() as connection:
                for i in range(8):
                    snapshot = connection.snapshot(f"{folder}/a", f"no {i}")
                    snapshot.check_books()
                    equal(snapshot.capture["method"], "fork")
                    equal(snapshot.text("notes"), f"label=no {i}\n")
                    assert snapshot.number("jemalloc.allocated") > 0
            equal(program.end(), (0, ""))


def test_what_made_up_the_peak_adds_up_to_it(folder):
    for mode in ("all", "counters", "sampled=3000"):
        with host(folder, "hammer", 1, mode=mode) as program:
            with program.connect() as connection:
                for _ in range(5):
                    snapshot = connection.snapshot(f"{folder}/a")
                    snapshot.check_books()
                    # Main and the hammer count on their own for a while.
                    bound = snapshot.number("peak_bound")
                    for field in ("requested", "usable"):
                        error = (sum(snapshot.column(f"peak.{field}"))
                                 - snapshot.number(f"peak.{field}"))
                        assert abs(error) <= bound, (field, error, bound)


def test_books_balance_while_modes_and_peaks_change(folder):
    chance = random.Random(2)
    with host(folder, "hammer", 8) as program:
        with program.connect() as one, program.connect() as two:
            for i in range(12):
                with open(f"{folder}/a", "wb") as file:
                    one.begin_snapshot(file.fileno())
                for _ in range(chance.randrange(4)):
                    reply = two.ask(chance.choice(
                        ["record all", "record counters", "reset-peak", "stat",
                         "record sampled=1000", "record sampled=100000"]))
                    assert reply.startswith("ok\n"), reply
                assert one.finish_snapshot().startswith("ok\n")
                Snapshot(f"{folder}/a").check_books()
        equal(program.end(), (0, ""))


def test_every_snapshot_closes_an_epoch(folder):
    with host(folder, "hammer", 1) as program, program.connect() as connection:
        first = connection.snapshot(f"{folder}/a")
        time.sleep(0.2)  # Blocks are born.
        second = connection.snapshot(f"{folder}/b")
        equal(second.number("epoch"), first.number("epoch") + 1)
        assert max(first.column("blocks.epoch")) <= first.number("epoch")
        assert max(second.column("blocks.epoch")) == second.number("epoch")
        equal(first.facts["process_id"], second.facts["process_id"])


def test_two_captures_at_once_one_is_refused(folder):
    with host(folder, "big", 100) as program:
        with program.connect() as one, program.connect() as two:
            with open(f"{folder}/a", "wb") as a, open(f"{folder}/b", "wb") as b:
                one.begin_snapshot(a.fileno())
                two.begin_snapshot(b.fileno())
            equal(two.finish_snapshot(),
                  "error another snapshot is being taken\n")
            equal(two.ask("stat").split("\n")[0], "ok")
            assert one.finish_snapshot().startswith("ok\n")
            Snapshot(f"{folder}/a")
            two.snapshot(f"{folder}/b")


def test_only_a_writable_regular_file_is_accepted(folder):
    with host(folder, "sleep") as program, program.connect() as connection:
        reader, writer = os.pipe()
        open(f"{folder}/f", "w").close()
        for fd, part in [
                (writer, "a regular file"), (reader, "a regular file"),
                (os.open("/dev/null", os.O_WRONLY), "a regular file"),
                (os.open(f"{folder}/f", os.O_RDONLY), "reading only"),
                (os.open(f"{folder}/f", os.O_WRONLY | os.O_APPEND),
                 "appending")]:
            connection.begin_snapshot(fd)
            reply = connection.finish_snapshot()
            assert reply.startswith("error ") and part in reply, reply
        connection.snapshot(f"{folder}/f").check_books()


def test_a_fork_child_has_its_own_socket_and_books(folder):
    with host(folder, "fork") as program:
        child = int(program.first_line)
        wait_until(lambda: f"{child}.sock" in names_in(program.sockets))
        with program.connect() as of_parent, program.connect(child) as of_child:
            parent = of_parent.snapshot(f"{folder}/a")
            forked = of_child.snapshot(f"{folder}/b")
        for snapshot, pid, size in [(parent, program.pid, 3000),
                                    (forked, child, 2000)]:
            snapshot.check_books()
            equal(snapshot.number("pid"), pid)
            requested = list(snapshot.column("blocks.requested"))
            assert size in requested and 1000 in requested
            assert (5000 - size) not in requested
        assert parent.facts["process_id"] != forked.facts["process_id"]
        equal(program.end()[0], 0)


def begun(path):
    return os.path.getsize(path) > 1 << 20


def test_a_program_killed_during_the_capture_leaves_no_whole_file(folder):
    with host(folder, "big", 200) as program:
        with program.connect() as connection:
            with open(f"{folder}/a", "wb") as file:
                connection.begin_snapshot(file.fileno())
            wait_until(lambda: begun(f"{folder}/a"))
            program.process.kill()
            equal(connection.finish_snapshot(), "")
        with open(f"{folder}/a", "rb") as file:
            equal(file.read(8), bytes(8))
        time.sleep(0.2)  # The writer dies with its program.
        size = os.path.getsize(f"{folder}/a")
        time.sleep(0.2)
        equal(os.path.getsize(f"{folder}/a"), size)


def test_a_client_that_leaves_ends_its_capture(folder):
    with host(folder, "big", 200) as program:
        with program.connect() as connection:
            with open(f"{folder}/a", "wb") as file:
                connection.begin_snapshot(file.fileno())
            wait_until(lambda: begun(f"{folder}/a"))
        with program.connect() as connection:
            def free():
                with open(f"{folder}/b", "wb") as file:
                    connection.begin_snapshot(file.fileno())
                return connection.finish_snapshot().startswith("ok")
            wait_until(free)
        with open(f"{folder}/a", "rb") as file:
            equal(file.read(8), bytes(8))


def test_a_full_disk_is_one_sentence(folder):
    if os.geteuid() != 0:
        return
    disk = f"{folder}/disk"
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", disk],
                      check=False, capture_output=True).returncode != 0:
        return
    try:
        with host(folder, "big", 20) as program:
            with program.connect() as connection:
                with open(f"{disk}/a", "wb") as file:
                    connection.begin_snapshot(file.fileno())
                equal(connection.finish_snapshot(),
                      "error the disk is full\n")
                with open(f"{disk}/a", "rb") as file:
                    equal(file.read(8), bytes(8))
                connection.snapshot(f"{folder}/b").check_books()
            equal(program.end(), (0, ""))
    finally:
        subprocess.run(["umount", disk], check=False)


def test_a_file_size_limit_is_one_sentence_and_no_signal(folder):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    with host(folder, "big", 20, prepare=limit) as program:
        with program.connect() as connection:
            with open(f"{folder}/a", "wb") as file:
                connection.begin_snapshot(file.fileno())
            equal(connection.finish_snapshot(),
                  "error the file would be larger than the program's file "
                  "size limit\n")
        equal(program.end(), (0, ""))


def test_without_fork_the_program_writes_itself(folder):
    if os.geteuid() != 0:
        return
    # A user with no new processes left, but whose program runs already.
    nobody = 65534
    os.chmod(folder, 0o755)
    os.mkdir(f"{folder}/home")
    os.chown(f"{folder}/home", nobody, nobody)
    runtime = shutil.copy(RUNTIME, folder)
    program = shutil.copy(HOST, folder)

    def become_nobody():
        os.setgroups([])
        os.setresgid(nobody, nobody, nobody)
        os.setresuid(nobody, nobody, nobody)
    with Program(runtime, f"{folder}/home", [program, "hammer", "2", "alone"],
                 prepare=become_nobody) as host_program:
        with host_program.connect() as connection:
            for _ in range(5):
                snapshot = connection.snapshot(f"{folder}/a")
                equal(snapshot.capture["method"], "in_process")
                equal(snapshot.number("jemalloc.allocated"), 0)
                snapshot.check_books()
        equal(host_program.end(), (0, ""))


if __name__ == "__main__":
    main(sys.modules["__main__"])
