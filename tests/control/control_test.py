#!/usr/bin/env python3
"""The control socket, by the bare protocol.

    control_test.py RUNTIME HOST [TEST...]
"""

import os
import random
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time

from control import Connection, Snapshot, parse_facts, wait_until
from hosted import (HOST, RUNTIME, ask, descriptors, equal, host, kinds_of,
                    main, names_in)


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


def test_stat_tells_what_recording_a_stack_takes(folder):
    """One stack in 64 of each thread is measured; one takes 20 ns to 100 us.
    One during which the thread was put aside is left out."""
    with host(folder, "hammer", 1) as program:
        with program.connect() as connection:
            time.sleep(0.5)
            connection.ask("record counters")
            facts = parse_facts(connection.ask("stat"))
    measured = int(facts["recording.measured_stacks"])
    walks = int(facts["walks.complete"])
    assert walks // 64 * 0.9 <= measured <= walks // 64 + 2, facts
    assert 20 < int(facts["recording.measured_ns"]) / measured < 100000, facts


def test_the_idle_thread_never_wakes(folder):
    with host(folder, "sleep") as program:
        others = [tid for tid in names_in(f"/proc/{program.pid}/task")
                  if tid != str(program.pid)]

        def switches():
            with open(f"/proc/{program.pid}/task/{others[0]}/status") as file:
                return [line for line in file if "ctxt_switches" in line]
        # A thread that has just been made may still have to get to its sleep.
        time.sleep(0.5)
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


if __name__ == "__main__":
    main(sys.modules["__main__"])
