#!/usr/bin/env python3
"""How `heaptally view` starts and ends, and what it leaves behind.

    ending_test.py HEAPTALLY MONSTERS MAKE_SNAPSHOT
"""

import concurrent.futures
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

import view
from tool import Tool, contains, equal, fails, fails_with, main

tool, monsters, make_snapshot = sys.argv[1:4]
heaptally = Tool(tool)


def ended(it, seconds=20):
    status = it.process.wait(timeout=seconds)
    rest = it.process.stdout.read()
    said = it.said()
    it.close()
    return status, rest, said


def interrupt(it):
    it.process.send_signal(signal.SIGINT)


def test_the_address_is_printed(folder):
    with view.View(tool, folder, "--no-browser") as it:
        equal(it.get("state").status, 200)
        interrupt(it)
        status, rest, said = ended(it)
        equal((status, rest, said), (0, "Ctrl-C ends it.\n", ""))
        equal(it.sessions(), [])


def test_a_port_of_the_users_choice(folder):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with view.View(tool, folder, "--port", port) as it:
        equal(it.port, port)
        fails_with(heaptally("view", "--port", port,
                             env={"XDG_RUNTIME_DIR": it.runtime}),
                   f"heaptally view: cannot listen on port {port} of "
                   "127.0.0.1: Address already in use; .*")


def test_bad_arguments(folder):
    for words, sentence in (
            (["--port", "0"], "--port.*"), (["--port", "x"], "--port.*"),
            (["--port", "65536"], "--port.*"),
            (["--sources", "none"], "--sources: there is no folder none; .*"),
            (["--source-map", "x"], "--source-map takes FROM=TO, .*"),
            (["--source-map", "x="], "--source-map takes FROM=TO, .*"),
            (["--source-map", "x=none"],
             "--source-map: there is no folder none; .*"),
            (["none.heaptally"], "there is no file none.heaptally; .*"),
            (["0"], ".*process id.*"), (["99999999999"], ".*process id.*"),
            (["--brwser"], "unknown option --brwser.*")):
        fails_with(heaptally("view", *words, cwd=folder,
                             env={"XDG_RUNTIME_DIR": folder}),
                   "heaptally view: " + sentence)
    gone = subprocess.Popen(["true"])
    gone.wait()
    fails(heaptally("view", gone.pid, env={"XDG_RUNTIME_DIR": folder}),
          f"heaptally view: there is no process {gone.pid}; heaptally ps lists "
          "the processes under heaptally")
    equal(os.path.exists(f"{folder}/heaptally") and
          os.listdir(f"{folder}/heaptally"), [] if os.path.exists(
              f"{folder}/heaptally") else False)


def test_the_browser_is_opened(folder):
    os.mkdir(f"{folder}/bin")
    opener = f"{folder}/bin/xdg-open"
    with open(opener, "w", encoding="ascii") as script:
        script.write(f"#!/bin/sh\nprintf %s \"$1\" > {folder}/opened\n")
    os.chmod(opener, 0o755)
    path = {"PATH": f"{folder}/bin:{os.environ['PATH']}"}
    for words, more, opens in (
            ([], {"DISPLAY": ":0"}, True),
            ([], {"WAYLAND_DISPLAY": "wayland-0"}, True), ([], {}, False),
            (["--no-browser"], {"DISPLAY": ":0"}, False)):
        with view.View(tool, folder, *words, env={**path, **more}) as it:
            address = f"http://127.0.0.1:{it.port}/{it.token}/"
            opened = f"{folder}/opened"
            if opens:
                view.until("the browser", lambda: os.path.exists(opened) and
                           os.path.getsize(opened) > 0)
                with open(opened, encoding="ascii") as file:
                    equal(file.read(), address)
                os.remove(opened)
            else:
                time.sleep(0.3)
                equal(os.path.exists(opened), False)


def test_ctrl_c_with_unsaved_snapshots(folder):
    with view.View(tool, folder) as it, \
            view.Monsters(tool, monsters, it.runtime) as one:
        it.take(one.pid, "at dusk")
        it.take(one.pid)
        it.take(one.pid, "kept")
        it.post("entries/3/save", path=f"{folder}/kept")
        it.take(one.pid, "cleared")
        it.post("entries/4/clear")
        interrupt(it)
        view.until("the warning", lambda: "press Ctrl-C" in it.said())
        equal(it.said(), "heaptally view: 2 snapshots are not saved: "
              "\"at dusk\", \"Snapshot 2\"; save them in the page, or press "
              "Ctrl-C again within 5 seconds to discard them\n")
        equal(it.state()["session"]["unsaved"], 2)
        interrupt(it)
        equal(ended(it)[0], 0)
        equal(it.sessions(), [])
        equal(os.path.exists(f"{folder}/kept.heaptally"), True)


def test_a_second_thought_after_ctrl_c(folder):
    with view.View(tool, folder) as it, \
            view.Monsters(tool, monsters, it.runtime) as one:
        it.take(one.pid, "dusk")
        interrupt(it)
        view.until("the warning", lambda: "press Ctrl-C" in it.said())
        contains(it.said(), "one snapshot is not saved: \"dusk\"; save it in")
        view.until("it goes on", lambda: "going on" in it.said())
        equal(it.entry()["name"], "dusk")
        interrupt(it)
        view.until("it warns again",
                   lambda: it.said().count("press Ctrl-C") == 2)
        it.post("entries/1/save", path=f"{folder}/x")
        time.sleep(5.5)
        interrupt(it)
        equal(ended(it)[0], 0)


def test_other_signals_end_it_at_once(folder):
    for number in (signal.SIGTERM, signal.SIGHUP):
        with view.View(tool, folder) as it, \
                view.Monsters(tool, monsters, it.runtime) as one:
            it.take(one.pid, "dusk")
            it.process.send_signal(number)
            start = time.time()
            equal(ended(it)[0], 0)
            equal(time.time() - start < 5, True)
            equal(it.sessions(), [])


def test_under_nohup_a_closed_terminal_does_not_end_it(folder):
    def nohup():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with view.View(tool, folder, preexec_fn=nohup) as it:
        it.process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        equal(it.get("state").status, 200)


def test_it_ends_while_work_is_going_on(folder):
    big = f"{folder}/big.heaptally"
    subprocess.run([make_snapshot, big, "300000", "20000", "--named"],
                   check=True)
    with view.View(tool, folder, big, big, big) as it, \
            view.Monsters(tool, monsters, it.runtime) as one:
        it.post("take", pid=one.pid)
        connections = [socket.create_connection(("127.0.0.1", it.port))
                       for _ in range(5)]
        it.process.send_signal(signal.SIGTERM)
        equal(ended(it)[0], 0)
        equal(it.sessions(), [])
        for connection in connections:
            connection.close()


def test_what_a_killed_one_left_is_removed(folder):
    it = view.View(tool, folder)
    with view.Monsters(tool, monsters, it.runtime) as one:
        it.take(one.pid)
        it.take(one.pid)
        equal(it.state()["recovered"], None)
        it.kill()
        it.close()
        left = it.sessions()
        equal(len(left), 1)
        with view.View(tool, folder) as next_one:
            recovered = next_one.state()["recovered"]
            contains(recovered, "2 snapshots in its session folder (")
            equal(recovered[-1], ".")
            contains(next_one.said(), recovered)
            equal(left[0] in next_one.sessions(), False)
            equal(len(next_one.sessions()), 1)
            # One that lives is left alone.
            with view.View(tool, folder) as third:
                equal(third.state()["recovered"], None)
                equal(len(third.sessions()), 2)
                next_one.take(one.pid)


def test_a_snapshot_whose_file_is_replaced_is_unsaved_again(folder):
    with view.View(tool, folder) as it:
        with view.Monsters(tool, monsters, it.runtime) as one:
            for name in ("one", "two"):
                number = it.take(one.pid, name)["id"]
                equal(it.post(f"entries/{number}/save", overwrite=True,
                              path=f"{folder}/x").status, 200)
            equal([entry["saved"] for entry in it.entries()], [False, True])


def test_looking_at_a_downloads_head_does_not_save(folder):
    with view.View(tool, folder) as it:
        with view.Monsters(tool, monsters, it.runtime) as one:
            number = it.take(one.pid)["id"]
            target = f"/{it.token}/api/entries/{number}/download"
            equal(it.ask("HEAD", target).status, 200)
            equal(it.entry()["saved"], False)


def test_tools_that_start_at_once_leave_each_other_alone(folder):
    """A folder that is made but not yet locked is not an abandoned one."""
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        tools = list(pool.map(lambda _: view.View(tool, folder), range(12)))
    equal(len(tools[0].sessions()), 12)
    for it in tools:
        equal(it.state()["recovered"], None)
    for it in tools:
        it.__exit__()


def test_killed_while_it_takes_a_snapshot(folder):
    it = view.View(tool, folder)
    with view.Monsters(tool, monsters, it.runtime) as one:
        it.post("take", pid=one.pid)
        it.kill()
        it.close()
        with view.View(tool, folder) as next_one:
            contains(next_one.state()["recovered"], "was killed before")
            equal(next_one.take(one.pid)["total"], [2033, 255568, 272864])


def test_a_folder_that_is_not_ours(folder):
    runtime = f"{folder}/runtime"
    os.makedirs(f"{folder}/elsewhere")
    os.makedirs(runtime, mode=0o700)
    base = f"{runtime}/heaptally"

    def refused():
        fails_with(heaptally("view", env={"XDG_RUNTIME_DIR": runtime}),
                   f"heaptally view: {base} is not a folder of yours that is "
                   "closed to all others; .*")
    os.symlink(f"{folder}/elsewhere", base)
    refused()
    equal(os.listdir(f"{folder}/elsewhere"), [])
    os.remove(base)
    os.mkdir(base, 0o755)
    refused()
    if os.geteuid() == 0:
        os.chmod(base, 0o700)
        os.chown(base, 65534, 65534)
        refused()
        os.chown(base, 0, 0)
    os.chmod(base, 0o700)
    # Links and files that look like sessions are nobody's business.
    os.symlink(f"{folder}/elsewhere", f"{base}/view-link00")
    with view.View(tool, folder):
        pass
    equal(os.path.exists(f"{folder}/elsewhere"), True)
    equal(sorted(os.listdir(base)), ["view-link00", "view.lock"])
    shutil.rmtree(base)


if __name__ == "__main__":
    main(sys.modules["__main__"])
