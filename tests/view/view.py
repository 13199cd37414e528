"""Starts `heaptally view` and talks to it as its page does, and as strangers
do."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
from tool import clean_environment, equal  # noqa: E402

SECONDS = 60


def until(what, condition, seconds=SECONDS):
    """The first true value of condition()."""
    end = time.time() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.time() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.05)


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def json(self):
        return json.loads(self.body)

    def error(self):
        return self.json()["error"]


def sockets_of(runtime):
    return f"{runtime}/sockets"


class View:
    """The tool with folders of its own, so that no test sees another's sessions
    or processes."""

    def __init__(self, tool, folder, *words, env=None, cwd=None,
                 preexec_fn=None, usual_sockets=False):
        self.runtime = os.path.join(folder, "runtime")
        os.makedirs(self.runtime, mode=0o700, exist_ok=True)
        environment = clean_environment()
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            environment.pop(name, None)
        environment["XDG_RUNTIME_DIR"] = self.runtime
        environment.update(env or {})
        if not usual_sockets:
            words = ("--socket-dir", sockets_of(self.runtime), *words)
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [tool, "view", *map(str, words)], env=environment,
            cwd=cwd or folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.errors, text=True,
            preexec_fn=preexec_fn)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", line)
        if not found:
            raise AssertionError(f"{line!r} {self.said()!r}")
        self.port, self.token = int(found.group(1)), found.group(2)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        equal(self.process.wait(timeout=SECONDS), 0, "the tool's exit status")
        self.close()

    def close(self):
        self.process.stdout.close()
        self.errors.close()

    def said(self):
        # Not by seeking: the tool writes where we would read.
        return os.pread(self.errors.fileno(), 1 << 20, 0).decode()

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=SECONDS)

    def sessions(self):
        base = f"{self.runtime}/heaptally"
        if not os.path.isdir(base):
            return []
        return [f"{base}/{name}" for name in sorted(os.listdir(base))
                if name.startswith("view-")]

    # Requests.

    def ask(self, method, target, body=None, headers=None):
        """As it stands: any target, any header."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=SECONDS)
        try:
            connection.request(method, target, body, headers or {})
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def send(self, text, wait=True):
        """Bytes on the wire; the bytes of the answer."""
        with socket.create_connection(("127.0.0.1", self.port),
                                      timeout=SECONDS) as connection:
            connection.sendall(text.encode("latin-1")
                               if isinstance(text, str) else text)
            if not wait:
                return b""
            answer = b""
            while True:
                try:
                    piece = connection.recv(65536)
                except ConnectionResetError:
                    return answer
                if not piece:
                    return answer
                answer += piece

    def get(self, path, /, **parameters):
        query = urllib.parse.urlencode(parameters)
        return self.ask("GET", f"/{self.token}/api/{path}?{query}")

    def post(self, path, /, **body):
        return self.ask("POST", f"/{self.token}/api/{path}", json.dumps(body),
                        {"Content-Type": "application/json"})

    def upload(self, name, content):
        query = urllib.parse.urlencode({"name": name})
        return self.ask("POST", f"/{self.token}/api/upload?{query}", content,
                        {"Content-Type": "application/octet-stream"})

    # What the page does with them.

    def state(self):
        answer = self.get("state")
        equal(answer.status, 200, answer.body)
        return answer.json()

    def entries(self):
        return self.state()["entries"]

    def entry(self, number=-1):
        return self.entries()[number]

    def task(self, number):
        for task in self.state()["tasks"]:
            if task["id"] == number:
                return task
        raise AssertionError(f"there is no task {number}")

    def finished(self, answer):
        """The task of the answer when it has ended."""
        equal(answer.status in (200, 202), True, answer.body)
        number = answer.json()["task"]

        def ended():
            task = self.task(number)
            return task if task["state"] != "running" else None
        return until(f"the end of task {number}", ended)

    def done(self, answer):
        task = self.finished(answer)
        equal((task["state"], task["error"]), ("done", None))
        return task

    def take(self, pid, name=None):
        more = {"name": name} if name else {}
        task = self.done(self.post("take", pid=pid, **more))
        for entry in self.entries():
            if entry["id"] == task["entry"]:
                equal(entry["state"], "ready")
                return entry
        raise AssertionError(f"there is no entry {task['entry']}")

    def load(self, path):
        task = self.finished(self.post("load", path=str(path)))
        for entry in self.entries():
            if entry["id"] == task["entry"]:
                return entry
        raise AssertionError(f"there is no entry {task['entry']}")

    def analysis(self, path, /, **parameters):
        """Waits for the preparing."""
        while True:
            answer = self.get(path, **parameters)
            if answer.status != 202:
                return answer
            self.done(answer)

    def rows(self, of, **parameters):
        answer = self.analysis("rows", of=of, **parameters)
        equal(answer.status, 200, answer.body)
        return answer.json()


class Monsters:
    """The demo, which waits at its marks."""

    def __init__(self, tool, monsters, view_runtime, *options):
        environment = clean_environment()
        environment["XDG_RUNTIME_DIR"] = view_runtime
        self.process = subprocess.Popen(
            [tool, "run", "--socket-dir", sockets_of(view_runtime), *options,
             "--", monsters], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=environment, text=True)
        self.pid = self.process.pid
        self.mark(1)

    def mark(self, number):
        line = self.process.stdout.readline()
        equal(line.startswith(f"mark {number}: "), True, line)

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(timeout=SECONDS)
        self.process.stdin.close()
        self.process.stdout.close()
