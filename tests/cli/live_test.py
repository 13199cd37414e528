#!/usr/bin/env python3
"""The commands that talk to a running process.

    live_test.py HEAPTALLY
"""

import json
import os
import pty
import signal
import subprocess
import sys
import time

from tool import (Tool, clean_environment, contains, equal, fails, fails_with,
                  main, matches, succeeds)

heaptally = Tool(sys.argv[1])

# Reads a number a line and holds that many further blocks of 1000 bytes.
HOLDER = """
import sys
held = []
def hold(n):
    for _ in range(n):
        held.append(bytearray(100000))
print('ready', flush=True)
for line in sys.stdin:
    hold(int(line))
    print('held', flush=True)
"""


class Program:
    """A python program under heaptally that allocates when it is told to."""

    def __init__(self, folder, *options):
        self.sockets = f"{folder}/sockets"
        self.process = subprocess.Popen(
            [heaptally.path, "run", "--socket-dir", self.sockets, *options,
             "--", sys.executable, "-c", HOLDER], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=clean_environment(), text=True)
        equal(self.process.stdout.readline(), "ready\n")
        self.pid = self.process.pid

    def hold(self, count):
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        equal(self.process.stdout.readline(), "held\n")

    def ask(self, command, *words, **more):
        where = ["--socket-dir", self.sockets]
        if command == "ps":
            return heaptally(command, *words, *where, **more)
        return heaptally(command, self.pid, *words, *where, **more)

    def stat(self):
        return json.loads(succeeds(self.ask("stat", "--json")))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        equal(self.process.wait(timeout=60), 0, "the program's exit status")


def test_ps_lists_the_processes(folder):
    with Program(folder) as one, Program(folder, "--mode", "counters") as two:
        listed = json.loads(succeeds(one.ask("ps", "--json")))["processes"]
        equal([p["pid"] for p in listed], sorted([one.pid, two.pid]))
        by_pid = {p["pid"]: p for p in listed}
        equal(by_pid[one.pid]["mode"], "all")
        equal(by_pid[two.pid]["mode"], "counters")
        for process in listed:
            equal(process["current"]["blocks"] > 0, True)
            equal(process["peak"]["usable"] >= process["current"]["usable"],
                  True)
            equal(process["own_memory"] > 0, True)
            contains(process["command"], "python")
        out = succeeds(one.ask("ps"))
        equal(len(out.splitlines()), 3)
        contains(out, f" {one.pid}  ")


def test_ps_without_processes(folder):
    os.mkdir(f"{folder}/sockets", 0o700)
    for sockets in (f"{folder}/sockets", f"{folder}/none"):
        result = heaptally("ps", "--socket-dir", sockets)
        equal((result.status, result.out), (0, ""))
        equal(result.err, "heaptally ps: no process is running under "
                          "heaptally; start one with heaptally run -- "
                          "PROGRAM\n")
        equal(json.loads(succeeds(heaptally("ps", "--json", "--socket-dir",
                                            sockets))), {"processes": []})


def test_ps_tells_of_a_process_that_is_stopped(folder):
    with Program(folder) as program:
        os.kill(program.pid, signal.SIGSTOP)
        sentence = (f"heaptally ps: process {program.pid} does not answer; it "
                    "may be stopped\n")
        for words, out in (([], ""), (["--json"], '"processes": []')):
            result = program.ask("ps", *words)
            equal((result.status, result.err), (0, sentence))
            contains(result.out, out)
        os.kill(program.pid, signal.SIGCONT)


def test_stat_shows_what_was_allocated(folder):
    with Program(folder) as program:
        before = program.stat()
        program.hold(50)
        after = program.stat()
        grown = {key: after["totals"]["current"][key] -
                 before["totals"]["current"][key]
                 for key in ("requested", "usable")}
        equal(5000000 <= grown["requested"] < 5100000, True, grown)
        equal(grown["usable"] >= grown["requested"], True, grown)
        equal(after["process"]["pid"], program.pid)
        equal(after["mode"], "all")
        for part in ("current", "peak", "ever"):
            equal(set(after["totals"][part]),
                  {"blocks", "requested", "usable"})
        equal(after["own_memory"]["total"] >=
              after["own_memory"]["side_headers"] > 0, True)
        equal(after["rss"] > 0, True)
        out = succeeds(program.ask("stat"))
        for part in ("current", "peak", "ever", "own memory", "resident",
                     f"{program.pid}"):
            contains(out, part)


def test_stat_watch_ends_with_the_process(folder):
    with Program(folder) as program:
        watch = subprocess.Popen(
            [heaptally.path, "stat", str(program.pid), "--watch", "0.1",
             "--json", "--socket-dir", program.sockets],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = json.loads(watch.stdout.readline())
        program.hold(10)
        time.sleep(0.5)
    out, err = watch.communicate(timeout=30)
    equal((watch.returncode, err), (0, ""))
    values = [json.loads(line) for line in out.splitlines()]
    equal(len(values) >= 2, True, "several values")
    equal(max(value["totals"]["current"]["requested"] for value in values) >
          first["totals"]["current"]["requested"] + 900000, True)


def test_record_switches_the_mode(folder):
    with Program(folder, "--mode", "counters") as program:
        program.hold(3)
        for mode, name, interval in (("all", "all", 0),
                                     ("sampled=64K", "sampled", 65536),
                                     ("counters", "counters", 0)):
            answer = json.loads(succeeds(
                program.ask("record", mode, "--json")))
            equal((answer["pid"], answer["mode"], answer["sample_interval"]),
                  (program.pid, name, interval))
            stat = program.stat()
            equal((stat["mode"], stat["sample_interval"]), (name, interval))
        matches(succeeds(program.ask("record", "all")),
                f"process {program.pid} .*all.*\n")
        fails(program.ask("record", "everything"), "heaptally record: unknown "
              "mode everything; there are counters, sampled=BYTES and all")
        fails(heaptally("record", program.pid),
              "heaptally record: MODE is missing; see heaptally record --help")


def test_arguments_in_another_order_are_named(folder):
    fails(heaptally("record", "counters", "12"),
          "heaptally record: the process comes first: heaptally record 12 "
          "counters")
    fails(heaptally("snapshot", "12", "x.heaptally"),
          "heaptally snapshot: one argument too many: x.heaptally; the file to "
          "write is given as -o x.heaptally")


def test_reset_peak(folder):
    with Program(folder) as program:
        succeeds(program.ask("reset-peak"))
        peak = json.loads(succeeds(program.ask("reset-peak", "--json")))
        stat = program.stat()
        equal(peak["pid"], program.pid)
        equal(peak["peak"]["usable"] <= stat["totals"]["peak"]["usable"], True)
        equal(stat["totals"]["peak"]["usable"] -
              stat["totals"]["current"]["usable"] < 100000, True)


def test_snapshots_and_their_comparison(folder):
    with Program(folder) as program:
        first, second = f"{folder}/a.heaptally", f"{folder}/b.heaptally"
        answer = json.loads(succeeds(program.ask(
            "snapshot", "-o", first, "--label", "before 100% of it",
            "--json")))
        equal(answer["file"], first)
        equal(answer["pid"], program.pid)
        equal(answer["label"], "before 100% of it")
        equal(answer["file_bytes"], os.path.getsize(first))
        equal(answer["blocks"] > 0 and answer["usable"] > 0 and
              answer["pause_ms"] > 0, True)
        program.hold(50)
        out = succeeds(program.ask("snapshot", "-o", second))
        contains(out, second)
        contains(out, "ms")
        contains(succeeds(heaptally("dump", first, "--section", "notes")),
                 "before 100")
        report = json.loads(succeeds(heaptally("report", first, "--json")))
        equal(report["totals"]["current"]["blocks"], answer["blocks"])
        equal(report["books"]["balanced"], True)
        change = json.loads(succeeds(
            heaptally("compare", first, second, "--json")))
        top = change["tracebacks"][0]
        equal(top["net"]["blocks"], 50)
        contains(" ".join(f["function"] for f in top["frames"]),
                 "PyByteArray")
        grown = heaptally("compare", first, second, "--fail-if-grown", "1M")
        equal(grown.status, 1)
        equal(sorted(os.listdir(folder)),
              ["a.heaptally", "b.heaptally", "sockets"])


def test_the_default_name_of_a_snapshot(folder):
    with Program(folder) as program:
        out = succeeds(program.ask("snapshot", cwd=folder))
        files = [f for f in os.listdir(folder) if f != "sockets"]
        equal(len(files), 1)
        matches(files[0], rf"python3[.0-9]*-{program.pid}-\d{{8}}-\d{{6}}"
                r"\.heaptally")
        contains(out, files[0])


def test_snapshots_that_cannot_be_written(folder):
    with Program(folder) as program:
        fails(program.ask("snapshot", "-o", f"{folder}/none/x"),
              f"heaptally snapshot: cannot write {folder}/none/x: No such "
              "file or directory; make the folder first or name another one "
              "with -o")
        fails(program.ask("snapshot", "-o", folder),
              f"heaptally snapshot: {folder} is a folder; name a file in it")
        fails(program.ask("snapshot", "-o", f"{folder}/x", "--label",
                          5000 * "x"),
              "heaptally snapshot: --label: the text has 5000 bytes, and at "
              "most 4096 are kept")
        fails_with(program.ask("snapshot", "-o", "/proc/x"),
                   "heaptally snapshot: cannot write /proc/x: .*")
        equal(os.listdir(folder), ["sockets"])


def test_an_interrupted_snapshot_leaves_nothing(folder):
    with Program(folder) as program:
        program.hold(100)
        for delay in (0.0, 0.02, 0.05, 0.1):
            child = subprocess.Popen(
                [heaptally.path, "snapshot", str(program.pid), "-o",
                 f"{folder}/x.heaptally", "--socket-dir", program.sockets],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            child.send_signal(signal.SIGINT)
            child.wait(timeout=30)
            left = [f for f in os.listdir(folder)
                    if f not in ("sockets", "x.heaptally")]
            equal(left, [], f"left behind after {delay} s")
        succeeds(program.ask("snapshot", "-o", f"{folder}/x.heaptally"))


def test_progress_is_only_for_terminals(folder):
    with Program(folder) as program:
        master, slave = pty.openpty()
        done = subprocess.run(
            [heaptally.path, "snapshot", str(program.pid), "-o",
             f"{folder}/x.heaptally", "--socket-dir", program.sockets],
            stdout=subprocess.PIPE, stderr=slave, text=True, check=True)
        os.close(slave)
        shown = os.read(master, 65536).decode()
        os.close(master)
        for step in ("captur", "nam", "pack"):
            contains(shown, step)
        equal(shown.endswith("\r\x1b[K"), True, "the line is cleared")
        equal("\x1b" in done.stdout, False)


def test_processes_that_are_not_there(folder):
    gone = subprocess.Popen(["true"])
    gone.wait()
    for command, more in (("stat", []), ("record", ["all"]),
                          ("reset-peak", []), ("snapshot", [])):
        fails(heaptally(command, gone.pid, *more, cwd=folder),
              f"heaptally {command}: there is no process {gone.pid}; heaptally "
              "ps lists the processes under heaptally")
        fails(heaptally(command, os.getpid(), *more, cwd=folder),
              f"heaptally {command}: process {os.getpid()} runs, but not "
              "under heaptally: start it with `heaptally run -- PROGRAM` (with "
              "--follow if a script or wrapper starts it), or with control=on "
              "in the variable HEAPTALLY if it is linked with it")
        fails(heaptally(command, "12x", *more, cwd=folder),
              f"heaptally {command}: 12x is not a process id; heaptally ps "
              "lists the processes under heaptally")
    equal(os.listdir(folder), [])


def test_a_followed_child_has_a_socket_of_its_own(folder):
    sockets = f"{folder}/sockets"
    child = subprocess.Popen(
        [heaptally.path, "run", "--follow", "--socket-dir", sockets, "--",
         "sh", "-c", "sleep 30 & echo $!; wait"], stdout=subprocess.PIPE,
        env=clean_environment(), text=True)
    sleeper = int(child.stdout.readline())
    deadline = time.time() + 10
    pids = []
    while (time.time() < deadline and
           (sleeper, "sleep 30") not in pids):
        listed = json.loads(succeeds(heaptally(
            "ps", "--json", "--socket-dir", sockets)))["processes"]
        pids = [(p["pid"], p["command"]) for p in listed]
        time.sleep(0.05)
    equal([pid for pid, _ in pids], sorted([child.pid, sleeper]))
    succeeds(heaptally("stat", sleeper, "--socket-dir", sockets))
    os.kill(sleeper, signal.SIGTERM)
    child.wait(timeout=30)
    child.stdout.close()


if __name__ == "__main__":
    main(sys.modules["__main__"])
