#!/usr/bin/env python3
"""The control socket and the snapshots behind it, by the bare protocol.

    control_test.py RUNTIME HOST [TEST...]
"""

import os
import random
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import traceback

from control import Connection, Program, Snapshot, parse_facts, wait_until

RUNTIME = os.path.abspath(sys.argv[1])
HOST = os.path.abspath(sys.argv[2])


def host(folder, *words, **more):
    program = Program(RUNTIME, folder, [HOST, *map(str, words)], **more)
    return program


def equal(got, want):
    assert got == want, f"got {got!r}, want {want!r}"


def ask(program, request):
    with program.connect() as connection:
        return connection.ask(request)


def names_in(path):
    return sorted(os.listdir(path))


def descriptors(pid):
    """The program's open files, without those of the listing."""
    return {name: os.readlink(f"/proc/{pid}/fd/{name}")
            for name in names_in(f"/proc/{pid}/fd")}


def kinds_of(files):
    return {fd: target.split(":")[0] for fd, target in files.items()}


# What the program can see of it.

def test_no_descriptor_is_visible_in_the_program(folder):
    with host(folder, "sleep", preload=False) as plain:
        want = kinds_of(descriptors(plain.pid))
    with host(folder, "sleep") as program:
        equal(kinds_of(descriptors(program.pid)), want)
        with program.connect() as connection:
            connection.ask("stat")
            equal(kinds_of(descriptors(program.pid)), want)
            connection.snapshot(f"{folder}/a")
            equal(kinds_of(descriptors(program.pid)), want)


def test_the_program_sees_no_child_and_no_signal(folder):
    with host(folder, "waiter") as program:
        with program.connect() as connection:
            for i in range(10):
                connection.snapshot(f"{folder}/{i}").check_books()
        equal(program.end(), (0, "0 signals\n"))


def test_the_thread_does_not_keep_the_process_alive(folder):
    with host(folder, "pthread_exit") as program:
        equal(ask(program, "stat").split("\n")[0], "ok")
        equal(program.end(), (0, ""))


def test_the_exit_status_is_the_programs_own(folder):
    with host(folder, "sleep") as program:
        equal(program.end(), (7, ""))


def test_the_thread_blocks_every_signal_and_has_no_capabilities(folder):
    with host(folder, "sleep") as program:
        others = [tid for tid in names_in(f"/proc/{program.pid}/task")
                  if tid != str(program.pid)]
        equal(len(others), 1)
        with open(f"/proc/{program.pid}/task/{others[0]}/status") as file:
            status = dict(line.split(":\t") for line in file
                          if ":\t" in line)
        equal(status["Name"].strip(), "heaptally")
        # SIGKILL and SIGSTOP cannot be blocked.
        blocked = int(status["SigBlk"], 16)
        equal(blocked | 1 << 8 | 1 << 18, 2**64 - 1)
        equal(int(status["CapEff"], 16), 0)
        files = descriptors(f"{program.pid}/task/{others[0]}")
        equal(list(kinds_of(files).values()), ["socket"])


def test_the_idle_thread_never_wakes(folder):
    with host(folder, "sleep") as program:
        others = [tid for tid in names_in(f"/proc/{program.pid}/task")
                  if tid != str(program.pid)]

        def switches():
            with open(f"/proc/{program.pid}/task/{others[0]}/status") as file:
                return [line for line in file if "ctxt_switches" in line]
        before = switches()
        time.sleep(1.5)
        equal(switches(), before)


def test_a_signal_to_the_process_reaches_the_program(folder):
    with host(folder, "sleep") as program:
        os.kill(program.pid, signal.SIGTERM)
        equal(program.end()[0], -signal.SIGTERM)


# The socket's place.

def test_the_socket_is_gone_when_the_program_has_ended(folder):
    with host(folder, "sleep") as program:
        equal(names_in(program.sockets), [f"{program.pid}.sock"])
        equal(stat.S_IMODE(os.stat(program.sockets).st_mode), 0o700)
        program.end()
        equal(names_in(program.sockets), [])


def refuses(folder, sentence):
    with host(folder, "sleep") as program:
        status, errors = program.end()
        equal(status, 7)
        equal(errors, f"heaptally: no control socket in {program.sockets}: "
                      f"{sentence}\n")


def test_a_directory_that_others_may_enter_is_refused(folder):
    os.mkdir(f"{folder}/sockets")
    os.chmod(f"{folder}/sockets", 0o755)
    refuses(folder, "other users may enter it (its mode is not 0700)")


def test_a_directory_behind_a_link_is_refused(folder):
    os.mkdir(f"{folder}/real", 0o700)
    os.symlink(f"{folder}/real", f"{folder}/sockets")
    refuses(folder, "it is a symbolic link")


def test_another_users_directory_is_refused(folder):
    if os.geteuid() != 0:
        return
    os.mkdir(f"{folder}/sockets", 0o700)
    os.chown(f"{folder}/sockets", 65534, 65534)
    refuses(folder, "it belongs to another user")


def test_a_path_that_is_too_long_is_refused(folder):
    deep = f"{folder}/{'d' * 100}"
    os.mkdir(deep)
    refuses(deep, "its path is longer than a socket's may be (107 bytes)")


def test_a_socket_that_an_earlier_process_left_is_replaced(folder):
    script = ("import os,sys; open(os.environ['OLD'] + f'/{os.getpid()}.sock',"
              "'w'); os.environ['LD_PRELOAD'] = os.environ['RUNTIME'];"
              f"os.execv({HOST!r}, [{HOST!r}, 'sleep'])")
    os.mkdir(f"{folder}/sockets", 0o700)
    os.environ.update(OLD=f"{folder}/sockets", RUNTIME=RUNTIME,
                      HEAPTALLY=f"control=on,socket_dir={folder}/sockets")
    process = subprocess.Popen([sys.executable, "-c", script],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for name in ("OLD", "RUNTIME", "HEAPTALLY"):
        del os.environ[name]
    equal(process.stdout.readline(), b"ready\n")
    with Connection(f"{folder}/sockets", process.pid) as connection:
        equal(connection.ask("stat").split("\n")[0], "ok")
    process.communicate(b"")


def test_another_user_is_turned_away(folder):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return
    os.chmod(folder, 0o755)
    script = ("import socket,sys; s = socket.socket(socket.AF_UNIX,"
              "socket.SOCK_SEQPACKET); s.connect(sys.argv[1]);"
              "print(s.recv(1000).decode(), end='')")

    def as_nobody(sockets, pid):
        return subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
             "/usr/bin/python3", "-c", script, f"{sockets}/{pid}.sock"],
            capture_output=True, text=True, check=False)
    with host(folder, "sleep") as program:
        done = as_nobody(program.sockets, program.pid)
        assert "PermissionError" in done.stderr, done.stderr
        # Even if the directory let it through.
        os.chmod(program.sockets, 0o755)
        os.chmod(f"{program.sockets}/{program.pid}.sock", 0o777)
        done = as_nobody(program.sockets, program.pid)
        equal(done.stdout, "error this process belongs to another user\n")


# Requests.

def test_stat_tells_the_facts(folder):
    with host(folder, "sleep") as program:
        facts = parse_facts(ask(program, "stat"))
        equal(facts["pid"], str(program.pid))
        equal(facts["ppid"], str(os.getpid()))
        equal(facts["command"], f"{HOST} sleep")
        equal(facts["exe"], HOST)
        equal(facts["mode"], "all")
        equal(len(facts["process_id"]), 32)
        assert int(facts["current.blocks"]) > 0
        assert int(facts["own.total"]) > 0
        assert int(facts["rss"]) > 1 << 20
        assert abs(int(facts["started_ns"]) / 1e9 - time.time()) < 30


def test_the_mode_is_switched_both_ways(folder):
    with host(folder, "hammer", 2, mode="counters") as program:
        with program.connect() as connection:
            for mode, name in [("all", "all"), ("counters", "counters"),
                               ("sampled=4096", "sampled"), ("all", "all")]:
                reply = parse_facts(connection.ask(f"record {mode}"))
                equal(reply["mode"], name)
                equal(parse_facts(connection.ask("stat"))["mode"], name)
                connection.snapshot(f"{folder}/a").check_books()
        equal(program.end()[0], 0)


def test_bad_requests_get_an_error(folder):
    with host(folder, "sleep") as program, program.connect() as connection:
        for request in ["x", "stat ", "STAT", "record", "record ",
                        "record some", "record sampled", "record sampled=",
                        "record sampled=0", "record sampled=x", "snapshot",
                        "snapshot now", "\n", "\0", "reset-peak\0",
                        b"\xff" * 1000, "stat" * 4000]:
            reply = connection.ask(request)
            assert reply.startswith("error "), (request, reply)
            equal(reply.count("\n"), 1)
        equal(connection.ask(b"x" * 20000),
              "error the request is too long\n")
        equal(connection.ask("stat\nlater=thing\n").split("\n")[0], "ok")


def test_random_requests_do_no_harm(folder):
    chance = random.Random(1)
    words = [b"stat", b"record", b"snapshot", b"reset-peak", b"\n", b"label=",
             b"=", b" ", b"%", b"%4", b"sampled=", b"all", b"9" * 30, b"\0"]
    null = os.open("/dev/null", os.O_RDWR)
    pipe = os.pipe()
    regular = os.open(f"{folder}/r", os.O_RDWR | os.O_CREAT, 0o600)
    with host(folder, "hammer", 1) as program:
        for _ in range(60):
            with program.connect() as connection:
                for _ in range(chance.randrange(1, 8)):
                    request = b"".join(chance.choices(
                        words + [chance.randbytes(20)],
                        k=chance.randrange(1, 12)))
                    fds = chance.choices([null, regular, *pipe],
                                         k=chance.choice([0, 0, 1, 1, 2, 20]))
                    try:
                        socket.send_fds(connection.socket, [request], fds)
                    except BrokenPipeError:
                        break
        with program.connect() as connection:
            wait_until(lambda: "error another" not in connection.ask("stat"))
            connection.ask("stat")

            def settled():
                with open(f"{folder}/z", "wb") as file:
                    connection.begin_snapshot(file.fileno())
                reply = connection.finish_snapshot()
                assert reply.startswith(("ok", "error another")), reply
                return reply.startswith("ok")
            wait_until(settled)
            Snapshot(f"{folder}/z").check_books()
        # Nothing that was passed stays open.
        thread = [tid for tid in names_in(f"/proc/{program.pid}/task")
                  if open(f"/proc/{program.pid}/task/{tid}/comm").read()
                  == "heaptally\n"]
        wait_until(lambda: len(descriptors(
            f"{program.pid}/task/{thread[0]}")) == 1)
        equal(program.end()[0], 0)


def test_silent_clients_keep_nobody_waiting(folder):
    with host(folder, "sleep") as program:
        silent = [program.connect() for _ in range(40)]
        equal(ask(program, "stat").split("\n")[0], "ok")
        for connection in silent:
            connection.socket.close()
        equal(ask(program, "stat").split("\n")[0], "ok")


def test_a_client_that_does_not_read_keeps_nobody_waiting(folder):
    with host(folder, "sleep") as program, program.connect() as deaf:
        deaf.socket.setblocking(False)
        try:
            for _ in range(100000):
                deaf.socket.send(b"stat")
        except (BlockingIOError, BrokenPipeError):
            pass
        equal(ask(program, "stat").split("\n")[0], "ok")


# Snapshots.

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


# The snapshot at exit.

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


def main():
    tests = [(name, test) for name, test in globals().items()
             if name.startswith("test_")
             and (len(sys.argv) < 4 or name in sys.argv[3:])]
    failed = 0
    for name, test in tests:
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            try:
                test(folder)
            except Exception:  # The other tests are worth their result.
                failed += 1
                print(f"FAILED {name}")
                traceback.print_exc(file=sys.stdout)
    print(f"{len(tests) - failed} of {len(tests)} tests passed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
