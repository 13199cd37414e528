#!/usr/bin/env python3
"""The page and running processes: what it shows of them, and taking snapshots.

    live_test.py HEAPTALLY MONSTERS MAKE_SNAPSHOT
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import view
from tool import Tool, clean_environment, contains, equal, main

tool, monsters = sys.argv[1:3]
heaptally = Tool(tool)

# At the demo's marks: [blocks, requested, usable] of the whole heap.
DUSK = [2033, 255568, 272864]
DAWN = [2698, 391248, 411104]

# Holds so many blocks that capturing and naming take their time.
HOLDER = """
import sys
held = [bytearray(100) for _ in range(int(sys.argv[1]))]
print('ready', flush=True)
sys.stdin.read()
"""


def demo(it, *options):
    return view.Monsters(tool, monsters, it.runtime, *options)


class Holder:
    def __init__(self, it, blocks):
        self.process = subprocess.Popen(
            [tool, "run", "--socket-dir", view.sockets_of(it.runtime), "--",
             sys.executable, "-c", HOLDER, str(blocks)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**clean_environment(), "XDG_RUNTIME_DIR": it.runtime})
        equal(self.process.stdout.readline(), "ready\n")
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def process_of(it, pid):
    for process in it.state()["processes"]:
        if process["pid"] == pid:
            return process
    return None


def test_no_processes(folder):
    with view.View(tool, folder) as it:
        state = it.state()
        equal((state["processes"], state["entries"], state["tasks"]),
              ([], [], []))
        equal(state["recovered"], None)
        equal(state["session"]["unsaved"], 0)
        equal(state["sources"], [os.path.realpath(folder)])


def test_a_process_and_its_numbers(folder):
    with view.View(tool, folder) as it, demo(it) as one:
        process = process_of(it, one.pid)
        contains(process["command"], "monsters")
        equal((process["mode"], process["sample_interval"]), ("all", 0))
        equal((process["current"], process["ever"]), (DUSK, DUSK))
        equal(process["threads"], 1)
        equal(process["gone"], False)
        equal(process["error"], None)
        equal(process["rss_bytes"] > process["own_bytes"] > 0, True)
        equal(process["stack_ns"] > 0, True)
        one.go_on()
        one.mark(2)
        process = view.until("the second mark", lambda: (
            lambda p: p if p["current"] == DAWN else None)(
                process_of(it, one.pid)))
        equal(process["ever"][0], 13108)
        equal(process["allocations_per_s"] > 0, True)
        equal(process["stacks_per_s"] > 0, True)
        equal(process["cost_share"] > 0, True)
        history = process["history"]
        equal(history[0][1], DUSK[2])
        equal(history[-1][1], DAWN[2])
        equal(history[0][0] > history[-1][0], True, "oldest first")
        process = view.until("a quiet second", lambda: (
            lambda p: p if p["allocations_per_s"] == 0 else None)(
                process_of(it, one.pid)))
        equal((process["stacks_per_s"], process["cost_share"]), (0, 0))


def test_only_somebody_who_looks_makes_processes_be_asked(folder):
    with view.View(tool, folder) as it, demo(it) as one:
        equal(len(process_of(it, one.pid)["history"]), 1)
        time.sleep(8)
        process = process_of(it, one.pid)
        equal(5 <= len(process["history"]) <= 8, True, process["history"])


def test_recording_modes(folder):
    with view.View(tool, folder) as it, demo(it, "--mode", "counters") as one:
        equal(process_of(it, one.pid)["mode"], "counters")
        for mode, name, interval in (("all", "all", 0),
                                     ("sampled=524288", "sampled", 524288),
                                     ("counters", "counters", 0)):
            process = it.post("record", pid=one.pid, mode=mode)
            equal(process.status, 200, process.body)
            process = process.json()["process"]
            equal((process["mode"], process["sample_interval"]),
                  (name, interval))
        wrong = it.post("record", pid=one.pid, mode="everything")
        equal(wrong.status in (400, 409), True, wrong.status)
        equal(wrong.error() != "", True)
        equal(it.post("record", pid=one.pid).status in (400, 409), True)


def test_reset_peak(folder):
    with view.View(tool, folder) as it, demo(it) as one:
        one.go_on()
        one.mark(2)
        before = view.until("the second mark", lambda: (
            lambda p: p if p["current"] == DAWN else None)(
                process_of(it, one.pid)))
        equal(before["peak"], [2699, 391348, 411216])
        after = it.post("reset-peak", pid=one.pid).json()["process"]
        equal(after["peak"], DAWN)


def test_taking_snapshots(folder):
    with view.View(tool, folder) as it, demo(it) as one:
        first = it.take(one.pid, "before \"the\" night ☾")
        one.go_on()
        one.mark(2)
        second = it.take(one.pid)
        equal((first["name"], second["name"]),
              ("before \"the\" night ☾", "Snapshot 2"))
        equal((first["total"], second["total"]), (DUSK, DAWN))
        equal((first["delta"], second["delta"]),
              (None, [b - a for a, b in zip(DUSK, DAWN)]))
        equal(second["peak"], [2699, 391348, 411216])
        for entry in (first, second):
            equal((entry["mode"], entry["pid"], entry["named"],
                   entry["balanced"], entry["saved"], entry["path"],
                   entry["task"]),
                  ("all", one.pid, True, True, False, None, None))
            equal(entry["file_bytes"] > 1000, True)
        equal(second["epoch"], first["epoch"] + 1)
        equal(it.state()["session"]["unsaved"], 2)
        inside = sorted(os.listdir(it.sessions()[0]))
        equal(inside, ["1.heaptally", "2.heaptally", "lock"])


def test_a_killed_target_keeps_its_snapshots(folder):
    with view.View(tool, folder) as it:
        with demo(it) as one, demo(it) as other:
            entry = it.take(one.pid)
            pids = [p["pid"] for p in it.state()["processes"]]
            equal(sorted(pids), sorted([one.pid, other.pid]))
        gone = view.until("its end", lambda: (
            lambda p: p if p is not None and p["gone"] else None)(
                process_of(it, one.pid)))
        equal((gone["current"], gone["allocations_per_s"]), (DUSK, None))
        view.until("the other's end", lambda: [
            p["pid"] for p in it.state()["processes"]] == [one.pid])
        equal(it.entry()["id"], entry["id"])
        equal(it.rows(entry["id"])["total_rows"] > 0, True)
        answer = it.post("take", pid=one.pid)
        equal(answer.status, 404)
        contains(answer.error(), f"There is no process {one.pid}")
        it.post(f"entries/{entry['id']}/clear")
        view.until("nothing is left of it",
                   lambda: it.state()["processes"] == [])


def test_a_target_that_ends_while_it_is_captured(folder):
    with view.View(tool, folder) as it:
        for _ in range(3):
            with Holder(it, 300000) as one:
                answer = it.post("take", pid=one.pid)
                one.process.kill()
                task = it.finished(answer)
            if task["state"] == "done":
                equal(it.entry()["state"], "ready")
                continue
            equal(task["state"], "failed")
            contains(task["error"], f"rocess {one.pid} ended")
            equal(task["error"][0].isupper(), True)
        ready = [e["state"] for e in it.entries()]
        equal(ready, ["ready"] * len(ready))
        files = [f for f in os.listdir(it.sessions()[0]) if f != "lock"]
        equal(len(files), len(ready))


def test_a_stopped_target(folder):
    with view.View(tool, folder) as it, demo(it) as one:
        equal(process_of(it, one.pid)["error"], None)
        os.kill(one.pid, signal.SIGSTOP)
        stopped = view.until("its silence", lambda: (
            lambda p: p if p["error"] else None)(process_of(it, one.pid)))
        contains(stopped["error"], "may be stopped")
        answer = it.post("take", pid=one.pid)
        task = answer.json()["task"]
        equal(it.entry()["state"], "pending")
        equal(it.entry()["task"], task)
        start = time.time()
        equal(it.post(f"tasks/{task}/cancel").status, 200)
        equal(it.finished(answer)["state"], "cancelled")
        equal(time.time() - start < 3, True)
        equal(it.entries(), [])
        os.kill(one.pid, signal.SIGCONT)
        view.until("its answer", lambda: process_of(it, one.pid)["error"]
                   is None)
        equal(it.take(one.pid)["total"], DUSK)


def test_cancelling_a_take_at_any_moment(folder):
    with view.View(tool, folder) as it, Holder(it, 200000) as one:
        states = set()
        for delay in (0, 0.05, 0.2, 0.5, 1):
            answer = it.post("take", pid=one.pid)
            time.sleep(delay)
            it.post(f"tasks/{answer.json()['task']}/cancel")
            states.add(it.finished(answer)["state"])
        equal("cancelled" in states, True, states)
        left = [e["state"] for e in it.entries()]
        equal(set(left) <= {"ready"}, True, left)
        files = [f for f in os.listdir(it.sessions()[0]) if f != "lock"]
        equal(len(files), len(left), files)
        task = it.done(it.post("take", pid=one.pid))
        equal(task["phase"], "packing")
        equal(it.post("tasks/999/cancel").status, 404)


def test_two_pages_take_at_once(folder):
    with view.View(tool, folder) as it, Holder(it, 50000) as one:
        answers = [it.post("take", pid=one.pid) for _ in range(4)]
        for answer in answers:
            it.done(answer)
        entries = it.entries()
        equal([e["state"] for e in entries], ["ready"] * 4)
        equal(len({e["epoch"] for e in entries}), 4)


def test_processes_named_on_the_command_line(folder):
    runtime = f"{folder}/runtime"
    os.makedirs(runtime, mode=0o700)
    with view.Monsters(tool, monsters, runtime) as one, \
            view.Monsters(tool, monsters, runtime) as two:
        for first, then in ((one, two), (two, one)):
            with view.View(tool, folder, first.pid) as it:
                equal([p["pid"] for p in it.state()["processes"]],
                      [first.pid, then.pid])


def test_the_usual_place_of_sockets(folder):
    with view.View(tool, folder, usual_sockets=True) as it:
        with demo(it, "--socket-dir", f"{it.runtime}/heaptally") as one:
            equal(process_of(it, one.pid)["current"], DUSK)
            equal(it.take(one.pid)["total"], DUSK)
        with demo(it) as other:
            equal(process_of(it, other.pid), None)


def test_processes_of_another_user(folder):
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return  # Only root can be two users.
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    os.chmod(folder, 0o755)
    with view.View(tool, folder) as it:
        with demo(it) as one:
            it.take(one.pid)
            tried = subprocess.run(
                [*as_nobody, "ls", it.sessions()[0]], capture_output=True,
                text=True, check=False)
            equal(tried.returncode != 0, True, "the folder is closed")
            # A guess at the address is all that another user has.
            tried = subprocess.run(
                [*as_nobody, sys.executable, "-c",
                 "import urllib.request, urllib.error, sys\n"
                 "try: urllib.request.urlopen(sys.argv[1])\n"
                 "except urllib.error.HTTPError as e: print(e.code)",
                 f"http://127.0.0.1:{it.port}/api/state"],
                capture_output=True, text=True, check=True)
            equal(tried.stdout, "403\n")


def test_a_page_of_another_user_reaches_no_process_of_ours(folder):
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if os.geteuid() != 0 or shutil.which("setpriv") is None or subprocess.run(
            [*as_nobody, tool, "--version"], stdout=subprocess.DEVNULL,
            check=False).returncode != 0:
        return  # Only root can be two users, and both need the tool.
    ours, theirs = f"{folder}/ours", f"{folder}/theirs"
    os.chmod(folder, 0o755)
    os.mkdir(ours, 0o755)
    for path in (theirs, f"{theirs}/runtime"):
        os.mkdir(path, 0o700)
        os.chown(path, 65534, 65534)

    def become_nobody():
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    with view.Monsters(tool, monsters, ours) as one, view.View(
            tool, theirs, "--socket-dir", view.sockets_of(ours),
            preexec_fn=become_nobody, usual_sockets=True) as it:
        equal(it.state()["processes"], [])
        for path in ("take", "record", "reset-peak"):
            answer = it.post(path, pid=one.pid, mode="all")
            equal(answer.status, 403, answer.body)
            contains(answer.error(), "belongs to another user")
        equal(it.entries(), [])


def test_a_process_that_is_not_under_heaptally(folder):
    with view.View(tool, folder) as it:
        for path in ("take", "record", "reset-peak"):
            answer = it.post(path, pid=os.getpid(), mode="all")
            equal(answer.status, 409)
            contains(answer.error(), "heaptally run")
        equal(it.entries(), [])
        equal(json.loads(it.get("state").body)["processes"], [])


if __name__ == "__main__":
    main(sys.modules["__main__"])
