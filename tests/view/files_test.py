#!/usr/bin/env python3
"""Snapshots as files: loading, sending, editing, clearing, saving.

    files_test.py HEAPTALLY MONSTERS MAKE_SNAPSHOT MAKE_FILES
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import time

import view
from tool import Tool, contains, equal, main, succeeds

tool, monsters, make_snapshot, make_files = sys.argv[1:5]
heaptally = Tool(tool)


# What make_snapshot writes as the label.
LABEL = "after the feast"


def make(path, blocks=1000, tracebacks=50, *more):
    subprocess.run([make_snapshot, path, str(blocks), str(tracebacks), "20",
                    "7", *more], check=True)
    return str(path)


def notes(path):
    out = succeeds(heaptally("dump", path, "--section", "notes"))
    return [line.split(None, 1)[1] for line in out.splitlines()
            if "=" in line]


def cut(path, size):
    with open(path, "r+b") as file:
        file.truncate(size)


def patch(path, offset, content):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(content)


def session_files(it):
    return sorted(f for f in os.listdir(it.sessions()[0]) if f != "lock")


def test_files_on_the_command_line(folder):
    first = make(f"{folder}/first.heaptally", 1000, 50, "--named")
    second = make(f"{folder}/second.heaptally", 2000, 50, "--named")
    with view.View(tool, folder, "first.heaptally", second) as it:
        view.until("both", lambda: all(e["state"] == "ready"
                                       for e in it.entries()))
        one, two = it.entries()
        equal((one["name"], two["name"]), (LABEL, LABEL))
        equal((one["path"], two["path"]), (first, second))
        equal((one["saved"], two["saved"]), (True, True))
        equal((one["total"][0], two["total"][0]), (1000, 2000))
        equal(two["delta"], [b - a for a, b in zip(one["total"],
                                                   two["total"])])
        equal(one["file_bytes"], os.path.getsize(first))
        equal((one["named"], one["balanced"]), (True, True))
        equal(it.state()["session"]["unsaved"], 0)
        equal(session_files(it), [])


def test_bad_files_say_what_is_wrong(folder):
    good = make(f"{folder}/good.heaptally", 1000, 50, "--named")
    size = os.path.getsize(good)
    subprocess.run([make_files, folder], check=True)
    for name in ("cut", "damaged", "tiny"):
        shutil.copy(good, f"{folder}/{name}.heaptally")
    cut(f"{folder}/cut.heaptally", size - 100)
    cut(f"{folder}/tiny.heaptally", 10)
    patch(f"{folder}/damaged.heaptally", 200, b"\xff" * 8)
    with open(f"{folder}/other.heaptally", "w", encoding="ascii") as other:
        other.write("no snapshot at all, but long enough to be one " * 10)
    os.mkdir(f"{folder}/folder.heaptally")
    with view.View(tool, folder) as it:
        cases = {
            "cut": ("header", 32, f"{size - 100} of {size} bytes"),
            "tiny": ("header", 0, "10 of at least 64 bytes"),
            "newer": ("header", 8, "version 2.0 is newer"),
            "other": ("header", 0, ""),
            "folder": (None, None, "it is a folder"),
            "none": (None, None, "No such file"),
        }
        for name, (section, offset, words) in cases.items():
            entry = it.load(f"{folder}/{name}.heaptally")
            error = entry["error"]
            equal((entry["state"], entry["name"]), ("bad", name))
            equal((error["section"], error["offset"]), (section, offset), name)
            contains(error["sentence"], f"{folder}/{name}.heaptally")
            contains(error["sentence"], words)
            if section:
                equal(error["advice"] not in (None, ""), True, name)
        entry = it.load(f"{folder}/damaged.heaptally")
        equal(entry["state"], "bad")
        equal(entry["error"]["section"] is not None, True)
        equal(entry["error"]["offset"] is not None, True)
        for refused in (it.get("rows", of=entry["id"]),
                        it.post(f"entries/{entry['id']}/save", path="x"),
                        it.get(f"entries/{entry['id']}/download")):
            equal(refused.status, 409)
        bad = len(it.entries())
        equal(it.post(f"entries/{entry['id']}/clear").status, 200)
        equal(len(it.entries()), bad - 1)
        equal(it.load(good)["state"], "ready")
        equal(it.post("load").status, 400)
        equal(it.post("load", path="").status, 400)
        equal(it.post("load", path="x\0y").status, 400)


def test_paths_are_those_of_the_working_folder(folder):
    make(f"{folder}/here.heaptally")
    with view.View(tool, folder, env={"HOME": folder}) as it:
        for path in ("here.heaptally", "./x/../here.heaptally",
                     "~/here.heaptally"):
            entry = it.load(path)
            equal((entry["state"], entry["path"]),
                  ("ready", f"{folder}/here.heaptally"))


def test_a_raw_file_gets_its_names(folder):
    raw = make(f"{folder}/raw.heaptally", 1000, 50, "--raw")
    with view.View(tool, folder) as it:
        entry = it.load(raw)
        equal((entry["state"], entry["named"]), ("ready", False))
        equal(it.rows(entry["id"])["total_rows"] > 0, True)


def test_sending_a_file(folder):
    good = make(f"{folder}/good.heaptally", 1000, 50, "--named")
    with open(good, "rb") as file:
        content = file.read()
    with view.View(tool, folder) as it:
        for name in ("my file.heaptally", "../../etc/passwd",
                     "/etc/cron.d/x.heaptally", "..\\..\\x", "", "..",
                     "x\x1b[31m\n\0y", "名前.heaptally"):
            task = it.done(it.upload(name, content))
            entry = [e for e in it.entries() if e["id"] == task["entry"]][0]
            equal((entry["state"], entry["total"][0]), ("ready", 1000))
            equal((entry["path"], entry["saved"]), (None, True))
            equal(entry["name"], LABEL)
        equal(session_files(it), [f"{i}.heaptally" for i in range(1, 9)])
        for name, shown in (("bad.heaptally", "bad"),
                            ("../../etc/passwd", "passwd"),
                            ("..\\x", "x"), ("", "upload"), ("..", ".."),
                            ("名前.heaptally", "名前")):
            task = it.finished(it.upload(name, content[:-100]))
            equal(task["state"], "failed")
            entry = it.entry()
            equal((entry["state"], entry["name"]), ("bad", shown))
            equal(it.sessions()[0] in json.dumps(entry), False, entry)
            equal(entry["error"]["section"], "header")
        it.finished(it.upload("x\x1b[31m\n\0y", b""))
        equal([c for c in it.entry()["name"] if c < " "], [])
        equal(it.finished(it.upload("empty", b""))["state"], "failed")


def test_a_broken_upload_leaves_nothing(folder):
    with view.View(tool, folder) as it:
        text = (f"POST /{it.token}/api/upload?name=x HTTP/1.1\r\n"
                f"Host: 127.0.0.1:{it.port}\r\n"
                "Content-Type: application/octet-stream\r\n"
                "Content-Length: 1000000\r\n\r\n" + "x" * 1000)
        it.send(text, wait=False)
        view.until("it is given up", lambda: it.entries() == [] and
                   session_files(it) == [])


def test_editing_is_kept_in_the_saved_file(folder):
    file = make(f"{folder}/a.heaptally", 1000, 50, "--named")
    with view.View(tool, folder) as it:
        number = it.load(file)["id"]
        name, note = 'night = "dusk" % ☾', "first line\nsecond\tline"
        equal(it.post(f"entries/{number}/edit", name=name).status, 200)
        equal(it.post(f"entries/{number}/edit", note=note).status, 200)
        entry = it.entry()
        equal((entry["name"], entry["note"], entry["saved"]),
              (name, note, False))
        equal(it.state()["session"]["unsaved"], 1)
        answer = it.post(f"entries/{number}/save", path="b")
        equal((answer.status, answer.json()),
              (200, {"path": f"{folder}/b.heaptally"}))
        entry = it.entry()
        equal((entry["saved"], entry["path"]),
              (True, f"{folder}/b.heaptally"))
        again = it.load(f"{folder}/b.heaptally")
        equal((again["name"], again["note"], again["total"]),
              (name, note, entry["total"]))
        equal(notes(file), [f"label={LABEL}"])
        for wrong in ({"name": ""}, {"name": "x" * 5000},
                      {"note": "x" * 5000}):
            equal(it.post(f"entries/{number}/edit", **wrong).status, 400)
        equal(it.post("entries/99/edit", name="x").status, 404)
        equal(it.entry(0)["name"], name)


def test_saving(folder):
    with view.View(tool, folder) as it, \
            view.Monsters(tool, monsters, it.runtime) as one:
        number = it.take(one.pid, "dusk")["id"]
        save = f"entries/{number}/save"
        target = f"{folder}/saved.heaptally"
        equal(it.post(save, path=target).json(), {"path": target})
        equal(it.entry()["saved"], True)
        equal(notes(target), ["label=dusk"])
        succeeds(heaptally("report", target))
        before = os.stat(target)
        answer = it.post(save, path=target)
        equal(answer.status, 409)
        contains(answer.error(), f"{target} is there already")
        equal(os.stat(target).st_ino, before.st_ino)
        os.chmod(target, 0o640)
        equal(it.post(save, path=target, overwrite=True).status, 200)
        equal(os.stat(target).st_ino != before.st_ino, True, "replaced whole")
        equal(os.stat(target).st_mode & 0o777, 0o640)
        os.symlink(target, f"{folder}/link.heaptally")
        equal(it.post(save, path=f"{folder}/link.heaptally").status, 409)
        it.post(save, path=f"{folder}/link.heaptally", overwrite=True)
        equal(os.path.islink(f"{folder}/link.heaptally"), True)
        for path, words in ((folder, "is a folder"),
                            (f"{folder}/none/x", "make the folder first"),
                            ("", "the path is empty"), ("x\0y", "zero byte"),
                            ("/proc/x", "cannot write")):
            answer = it.post(save, path=path)
            equal(answer.status in (400, 500), True, path)
            contains(answer.error().lower(), words)
        equal(it.post(save).status, 400)
        equal(sorted(f for f in os.listdir(folder) if f != "runtime"),
              ["link.heaptally", "saved.heaptally"])


def test_a_loaded_file_can_be_saved_onto_itself(folder):
    file = make(f"{folder}/a.heaptally", 1000, 50, "--named")
    with view.View(tool, folder) as it:
        number = it.load(file)["id"]
        it.post(f"entries/{number}/edit", name="another")
        equal(it.post(f"entries/{number}/save", path=file,
                      overwrite=True).status, 200)
        equal(notes(file)[0], "label=another")
        it.post(f"entries/{number}/edit", note="more")
        equal(it.post(f"entries/{number}/save", path=file,
                      overwrite=True).status, 200)
        equal(it.load(file)["note"], "more")


def test_a_file_behind_a_link_is_saved_onto_itself_again(folder):
    file = make(f"{folder}/a.heaptally", 1000, 50, "--named")
    os.symlink(file, f"{folder}/link.heaptally")
    with view.View(tool, folder) as it:
        number = it.load(f"{folder}/link.heaptally")["id"]
        for name in ("one", "two"):
            it.post(f"entries/{number}/edit", name=name)
            equal(it.post(f"entries/{number}/save", overwrite=True,
                          path=f"{folder}/link.heaptally").status, 200)
            equal(notes(file)[0], f"label={name}")


def test_a_file_that_changes_is_not_saved_as_it_was(folder):
    file = make(f"{folder}/a.heaptally", 1000, 50, "--named")
    with view.View(tool, folder) as it:
        number = it.load(file)["id"]
        make(file, 1234, 50, "--named")
        answer = it.post(f"entries/{number}/save", path=f"{folder}/b")
        equal(answer.status, 409)
        contains(answer.error(), "has changed since it was read")


def test_downloading(folder):
    with view.View(tool, folder) as it, \
            view.Monsters(tool, monsters, it.runtime) as one:
        number = it.take(one.pid)["id"]
        it.post(f"entries/{number}/edit", name='../"a\\b\r\nX: y ☾', note="n")
        equal(it.entry()["saved"], False)
        answer = it.get(f"entries/{number}/download")
        equal(answer.status, 200)
        equal(answer.headers["Content-Type"], "application/octet-stream")
        equal(answer.headers["X"], None)
        header = answer.headers["Content-Disposition"]
        contains(header, "attachment; filename=\"")
        name = header.split('"')[1]
        equal([c for c in name if c in '/\\"\r\n'], [])
        contains(name, ".heaptally")
        with open(f"{folder}/got.heaptally", "wb") as file:
            file.write(answer.body)
        equal(notes(f"{folder}/got.heaptally")[1], "note=n")
        view.until("it counts as saved", lambda: it.entry()["saved"])
        equal(it.entry()["path"], None)
        equal(session_files(it), ["1.heaptally"])
        for path in ("entries/99/download", "entries/../1/download",
                     "entries/%2e%2e/download", "entries//download",
                     "entries/1.heaptally/download", "entries/1/download/x"):
            equal(it.get(path).status, 404, path)


def test_clearing_and_bringing_back(folder):
    with view.View(tool, folder) as it, \
            view.Monsters(tool, monsters, it.runtime) as one:
        for name in ("a", "b", "c"):
            it.take(one.pid, name)
        def names():
            return [e["name"] for e in it.entries()]
        equal(it.post("entries/2/clear").status, 200)
        equal(names(), ["a", "c"])
        equal(it.post("entries/2/clear").status, 404)
        equal(it.get("rows", of="2").status, 404)
        equal(it.post("entries/2/restore").status, 200)
        equal(names(), ["a", "b", "c"])
        equal(it.post("entries/2/restore").status, 404)
        it.post("entries/1/clear")
        equal(it.post("clear-all").status, 200)
        equal(names(), [])
        equal(it.state()["session"]["unsaved"], 0)
        equal(it.post("restore-all").status, 200)
        equal(names(), ["b", "c"])
        equal(len(session_files(it)), 3)
        time.sleep(15.5)
        equal(it.post("entries/1/restore").status, 404)
        view.until("its file is gone", lambda: it.state() and session_files(
            it) == ["2.heaptally", "3.heaptally"])


def test_a_full_disk(folder):
    """A small file system if we may mount one, else a limit on files."""
    small, limit = f"{folder}/small", None
    os.mkdir(small)
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", small],
        stderr=subprocess.DEVNULL, check=False).returncode == 0
    file = make(f"{folder}/big.heaptally", 100000, 50, "--named")
    if not mounted:
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
    try:
        with view.View(tool, folder, preexec_fn=limit) as it:
            number = it.load(file)["id"]
            save = f"entries/{number}/save"
            for name in (None, "another name"):
                if name:
                    it.post(f"entries/{number}/edit", name=name)
                answer = it.post(save, path=f"{small}/x.heaptally")
                equal(answer.status, 500, answer.body)
                contains(answer.error(), f"{small}/x.heaptally")
                contains(answer.error(), "make room there")
                equal(os.listdir(small), [])
            equal(it.entry()["saved"], False)
        if mounted:
            check_full_session(small, file)
    finally:
        if mounted:
            subprocess.run(["umount", "-l", small], check=True)


def check_full_session(small, file):
    with view.View(tool, small) as it, \
            view.Monsters(tool, monsters, it.runtime) as one:
        with open(file, "rb") as content:
            answer = it.upload("big", content.read())
        equal(answer.status, 507, answer.body)
        contains(answer.error(), "start heaptally view with the file")
        with open(f"{small}/filler", "wb") as filler:
            try:
                filler.write(b"x" * (1 << 20))
            except OSError:
                pass
        task = it.finished(it.post("take", pid=one.pid))
        equal(task["state"], "failed")
        contains(task["error"], "the disk is full; make room in")
        equal(it.entries(), [])
        os.remove(f"{small}/filler")


if __name__ == "__main__":
    main(sys.modules["__main__"])
