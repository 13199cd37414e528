"""Talks to a program under heaptally by the bare protocol, and reads the raw
files that the runtime writes, with nothing of the tool."""

import array
import os
import socket
import struct
import subprocess
import time

KINDS = {
    0x01: "facts", 0x02: "capture", 0x03: "modules", 0x04: "notes",
    0x05: "recording", 0x20: "nodes.parent", 0x21: "nodes.pc",
    0x30: "tracebacks.node", 0x31: "current.blocks", 0x32: "current.requested",
    0x33: "current.usable", 0x34: "ever.blocks", 0x35: "ever.requested",
    0x36: "ever.usable", 0x37: "own_peak.blocks", 0x38: "own_peak.requested",
    0x39: "own_peak.usable", 0x3a: "peak.blocks", 0x3b: "peak.requested",
    0x3c: "peak.usable", 0x50: "blocks.address",
    0x51: "blocks.traceback", 0x52: "blocks.requested", 0x53: "blocks.usable",
    0x54: "blocks.epoch",
}
MAGIC = b"HEAPTALY"


def parse_facts(text):
    facts = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals:
            facts[key] = value
    return facts


class Snapshot:
    """A file as the runtime leaves it: raw columns."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        assert data[:8] == MAGIC, "the file is not whole"
        _, _, _, _, count, entry_size = struct.unpack_from("<QHHIII", data)
        table, size = struct.unpack_from("<QQ", data, 24)
        assert size == len(data), (size, len(data))
        assert entry_size == 64
        self.sections = {}
        for i in range(count):
            (kind, encoding, offset, stored, decoded, rows, element,
             _) = struct.unpack_from("<IIQQQQII", data, table + 64 * i)
            assert encoding == 0 and stored == decoded == rows * element
            assert offset % 8 == 0 and offset + stored <= len(data)
            self.sections[KINDS.get(kind, kind)] = (
                element, data[offset:offset + stored])
        self.facts = parse_facts(self.text("facts"))
        self.capture = parse_facts(self.text("capture"))
        assert int(self.capture["bytes"]) == len(data)

    def text(self, name):
        return self.sections[name][1].decode()

    def column(self, name):
        element, data = self.sections[name]
        values = array.array({4: "I", 8: "Q"}[element])
        values.frombytes(data)
        return values

    def number(self, key):
        return int(self.facts[key])

    def check_books(self):
        """Side headers, tracebacks, process and the columns agree."""
        assert self.capture["quiesced"] == "1", self.capture
        addresses = self.column("blocks.address")
        assert all(a < b for a, b in zip(addresses, addresses[1:]))
        for field in ("blocks", "requested", "usable"):
            want = self.number(f"current.{field}")
            for books in ("side_headers", "tracebacks"):
                got = self.number(f"{books}.{field}")
                assert got == want, (books, field, got, want)
            assert sum(self.column(f"current.{field}")) == want, field
        assert len(addresses) == self.number("current.blocks")
        for field in ("requested", "usable"):
            assert (sum(self.column(f"blocks.{field}"))
                    == self.number(f"current.{field}"))
            want = self.number(f"ever.{field}")
            assert sum(self.column(f"ever.{field}")) == want, field
        self.check_tracebacks()

    def check_tracebacks(self):
        """What each traceback counts is what its blocks add up to."""
        sums = {}
        for identity, usable in zip(self.column("blocks.traceback"),
                                    self.column("blocks.usable")):
            blocks, total = sums.get(identity, (0, 0))
            sums[identity] = (blocks + 1, total + usable)
        for own, now in zip(self.column("own_peak.usable"),
                            self.column("current.usable")):
            assert own >= now
        rows = zip(self.column("current.blocks"), self.column("current.usable"))
        for identity, row in enumerate(rows):
            assert row == sums.get(identity, (0, 0)), (identity, row)


class Connection:
    def __init__(self, sockets, pid):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(f"{sockets}/{pid}.sock")
        self.socket.settimeout(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def ask(self, request):
        if isinstance(request, str):
            request = request.encode()
        self.socket.send(request)
        return self.receive()

    def receive(self):
        return self.socket.recv(1 << 16).decode(errors="replace")

    def begin_snapshot(self, fd, label=None):
        request = "snapshot\n" + (f"label={label}\n" if label else "")
        socket.send_fds(self.socket, [request.encode()], [fd])

    def finish_snapshot(self):
        while True:
            reply = self.receive()
            if not reply.startswith("progress bytes="):
                return reply

    def snapshot(self, path, label=None):
        with open(path, "wb") as file:
            self.begin_snapshot(file.fileno(), label)
        reply = self.finish_snapshot()
        assert reply.startswith("ok\n"), reply
        return Snapshot(path)


class Program:
    """A program with the runtime preloaded, ready when it has printed a line.

    `user` runs it as another user; `control` turns the socket on."""

    def __init__(self, runtime, folder, command, mode="all", control=True,
                 preload=True, prepare=None, options=""):
        self.sockets = f"{folder}/sockets"
        environment = dict(os.environ)
        environment.pop("HEAPTALLY", None)
        if preload:
            environment["LD_PRELOAD"] = runtime
            environment["HEAPTALLY"] = (
                f"mode={mode},control={'on' if control else 'off'},"
                f"socket_dir={self.sockets}{options}")
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=prepare)
        self.pid = self.process.pid
        self.first_line = self.process.stdout.readline()

    def connect(self, pid=None):
        return Connection(self.sockets, pid or self.pid)

    def line(self):
        return self.process.stdout.readline()

    def tell(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def end(self):
        """Lets it end by itself; its exit status and stderr."""
        _, errors = self.process.communicate("", timeout=60)
        return self.process.returncode, errors

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def wait_until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
