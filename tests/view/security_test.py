#!/usr/bin/env python3
"""Who may talk to the page's server, and what strangers get.

    security_test.py HEAPTALLY MONSTERS MAKE_SNAPSHOT
"""

import gzip
import json
import os
import random
import socket
import sys
import threading
import time

import view
from tool import contains, equal, main

tool = sys.argv[1]


def open_view(folder, *words, **more):
    return view.View(tool, folder, *words, **more)


def head(lines):
    return "\r\n".join(lines) + "\r\n\r\n"


def status_of(answer):
    return int(answer.split(b" ", 2)[1]) if answer else None


def own(it, method, path, *lines, host=None):
    return head([f"{method} /{it.token}/{path} HTTP/1.1",
                 f"Host: {host or f'127.0.0.1:{it.port}'}", *lines,
                 "Connection: close"])


def sentence(answer):
    error = answer.error()
    equal(error[-1], ".", error)
    equal(error[0].isupper(), True, error)
    return error


def test_the_page_and_its_headers(folder):
    with open_view(folder) as it:
        packed = it.ask("GET", f"/{it.token}/", headers={
            "Accept-Encoding": "gzip, br"})
        plain = it.ask("GET", f"/{it.token}/")
        equal((packed.status, plain.status), (200, 200))
        equal(packed.headers["Content-Encoding"], "gzip")
        equal(plain.headers["Content-Encoding"], None)
        equal(gzip.decompress(packed.body), plain.body)
        contains(plain.body.decode().lower(), "<!doctype html>")
        for answer in (packed, plain, it.get("state"), it.get("nothing"),
                       it.ask("GET", "/")):
            for name, value in (("X-Content-Type-Options", "nosniff"),
                                ("Referrer-Policy", "no-referrer"),
                                ("Cache-Control", "no-store"),
                                ("X-Frame-Options", "DENY"),
                                ("Cross-Origin-Resource-Policy",
                                 "same-origin")):
                equal(answer.headers[name], value, name)
            policy = answer.headers["Content-Security-Policy"]
            for part in ("default-src 'none'", "connect-src 'self'",
                         "frame-ancestors 'none'", "base-uri 'none'",
                         "form-action 'none'"):
                contains(policy, part)
            equal("unsafe" in policy, False, policy)
        equal(plain.headers["Content-Type"], "text/html; charset=utf-8")
        equal(it.get("state").headers["Content-Type"],
              "application/json; charset=utf-8")


def test_the_address_needs_the_whole_token(folder):
    with open_view(folder) as it:
        for target in ("/", "/api/state", f"/{it.token[:-1]}/api/state",
                       f"/{it.token}0/api/state", f"/{'0' * 32}/api/state",
                       f"//{it.token}/api/state", f"/x/../{it.token}/api/state",
                       "/favicon.ico", "*", "/%00"):
            answer = it.ask("GET", target)
            equal(answer.status, 403, target)
            contains(sentence(answer), "token")
            equal(it.token in answer.body.decode(), False)
        moved = it.ask("GET", f"/{it.token}")
        equal((moved.status, moved.headers["Location"]),
              (308, f"http://127.0.0.1:{it.port}/{it.token}/"))
        contains(it.said(), "refused a request (403)")


def test_the_token_is_another_one_each_time(folder):
    with open_view(folder) as one, open_view(folder) as two:
        equal(one.token == two.token, False)
        equal(two.ask("GET", f"/{one.token}/").status, 403)


def test_a_foreign_host_is_refused(folder):
    with open_view(folder) as it:
        for host in ("example.org", f"example.org:{it.port}", "127.0.0.1",
                     f"127.0.0.1:{it.port + 1}", f"127.0.0.2:{it.port}",
                     f"127.0.0.1:{it.port}@example.org", "",
                     f"localhost.example.org:{it.port}"):
            answer = it.send(own(it, "GET", "api/state", host=host or " "))
            equal(status_of(answer), 403, host)
        answer = it.send(own(it, "GET", "api/state", "Host: example.org"))
        equal(status_of(answer) in (400, 403), True, answer)
        bare = f"GET /{it.token}/api/state HTTP/1.0\r\n\r\n"
        equal(status_of(it.send(bare)), 403)
        for host in (f"127.0.0.1:{it.port}", f"localhost:{it.port}",
                     f"LOCALHOST:{it.port}"):
            equal(status_of(it.send(own(it, "GET", "api/state", host=host))),
                  200, host)


def test_a_foreign_origin_is_refused(folder):
    with open_view(folder) as it:
        for origin in ("http://example.org", "null", "file://",
                       f"https://127.0.0.1:{it.port}",
                       f"http://127.0.0.1:{it.port + 1}",
                       f"http://127.0.0.1:{it.port}.example.org"):
            for method, body in (("GET", None), ("POST", "{}")):
                answer = it.ask(method, f"/{it.token}/api/state", body, {
                    "Origin": origin, "Content-Type": "application/json"})
                equal(answer.status, 403, origin)
                sentence(answer)
                equal(answer.headers["Access-Control-Allow-Origin"], None)
        answer = it.ask("GET", f"/{it.token}/api/state", headers={
            "Origin": f"http://127.0.0.1:{it.port}"})
        equal(answer.status, 200)


def test_only_json_is_posted(folder):
    with open_view(folder) as it:
        target = f"/{it.token}/api/clear-all"
        for kind in (None, "text/plain", "application/x-www-form-urlencoded",
                     "multipart/form-data", "application/octet-stream",
                     "application/jsonx"):
            headers = {} if kind is None else {"Content-Type": kind}
            answer = it.ask("POST", target, "{}", headers)
            equal(answer.status, 415, kind)
            sentence(answer)
        for kind in ("application/json", "Application/JSON; charset=utf-8"):
            equal(it.ask("POST", target, "{}", {"Content-Type": kind}).status,
                  200, kind)
        answer = it.ask("POST", f"/{it.token}/api/upload?name=x", "{}",
                        {"Content-Type": "application/json"})
        equal(answer.status, 415)
        equal(it.entries(), [])


def test_other_methods_are_refused(folder):
    with open_view(folder) as it:
        for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT",
                       "PROPFIND"):
            answer = it.ask(method, f"/{it.token}/api/state")
            equal(answer.status, 405, method)
            equal(answer.headers["Allow"], "GET, HEAD, POST")
        equal(it.ask("HEAD", f"/{it.token}/").body, b"")
        equal(it.ask("GET", f"/{it.token}/api/take").status, 404)
        equal(it.post("state").status, 404)


def test_malformed_bodies(folder):
    with open_view(folder) as it:
        json_type = {"Content-Type": "application/json"}
        deep = "[" * 100000 + "]" * 100000
        for body in ("{", "[]", "3", "null", "\0", "{\"pid\":}", deep,
                     '{"pid":' + deep + "}", "\xff\xfe"):
            answer = it.ask("POST", f"/{it.token}/api/take",
                            body.encode("latin-1"), json_type)
            equal(answer.status, 400, body[:40])
            sentence(answer)
        for body in ({}, {"pid": 0}, {"pid": -1}, {"pid": "1"},
                     {"pid": 1 << 40}, {"pid": 1.5}, {"pid": None},
                     {"pid": [1]}):
            equal(it.post("take", **body).status, 400, body)
            equal(it.post("record", **body).status, 400, body)
            equal(it.post("reset-peak", **body).status, 400, body)


def test_malformed_requests(folder):
    with open_view(folder) as it:
        for text in ("\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                     "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03" + "\0" * 80,
                     "GET / HTTP/1.1\r\nno colon\r\n\r\n",
                     "GET /\x01 HTTP/1.1\r\n\r\n", "\0" * 1000,
                     own(it, "GET", "api/state", "Content-Length: x"),
                     own(it, "POST", "api/take", "Content-Length: -1"),
                     own(it, "POST", "api/take", "Transfer-Encoding: x,y"),
                     own(it, "POST", "api/take",
                         "Content-Type: application/json",
                         "Transfer-Encoding: chunked") + "zz\r\n"):
            answer = it.send(text)
            equal(status_of(answer) in (400, 403, 415), True,
                  (text[:60], answer[:60]))
        equal(it.get("rows", of="1").status, 404)
        equal(it.ask("GET", f"/{it.token}/api/rows?of=%zz").status, 400)
        equal(it.ask("GET", f"/{it.token}/api/rows?of=%").status, 400)
        # It has survived all of that.
        equal(it.state()["entries"], [])


def test_requests_with_random_faults(folder):
    chance = random.Random(1)
    with open_view(folder) as it:
        whole = own(it, "POST", "api/entries/1/edit",
                    "Content-Type: application/json",
                    "Content-Length: 14") + '{"name":"abc"}'
        for _ in range(400):
            text = bytearray(whole.encode())
            for _ in range(chance.randint(1, 6)):
                at = chance.randrange(len(text))
                kind = chance.randrange(4)
                if kind == 0:
                    text[at] = chance.randrange(256)
                elif kind == 1:
                    del text[at:at + chance.randint(1, 40)]
                elif kind == 2:
                    text[at:at] = bytes(chance.choices(
                        b"\r\n :/%?{}[]\"\\\0\xff0123456789",
                        k=chance.randint(1, 40)))
                else:
                    text[at:at] = text[:chance.randint(1, 400)]
                text = text or bytearray(b"x")
            with socket.create_connection(("127.0.0.1", it.port)) as client:
                client.sendall(text)
                client.shutdown(socket.SHUT_WR)
                answer = b""
                try:
                    while piece := client.recv(65536):
                        answer += piece
                except ConnectionResetError:
                    pass
            if answer:
                equal(400 <= status_of(answer) < 500, True, (text, answer))
        equal(it.entries(), [])


def test_oversize_requests(folder):
    with open_view(folder) as it:
        long = own(it, "GET", "api/state", "X-Long: " + "x" * 20000)
        equal(status_of(it.send(long)), 431)
        many = own(it, "GET", "api/state",
                   *[f"X-{i}: {i}" for i in range(4000)])
        equal(status_of(it.send(many)), 431)
        target = own(it, "GET", "api/state?" + "x" * 20000)
        equal(status_of(it.send(target)), 431)
        said = own(it, "POST", "api/take", "Content-Type: application/json",
                   f"Content-Length: {1 << 60}")
        equal(status_of(it.send(said)), 413)
        body = json.dumps({"pid": 1, "name": "x" * (2 << 20)})
        answer = it.ask("POST", f"/{it.token}/api/take", body,
                        {"Content-Type": "application/json"})
        equal(answer.status, 413)
        chunks = "".join(f"{0x8000:x}\r\n{'x' * 0x8000}\r\n"
                         for _ in range(64)) + "0\r\n\r\n"
        unsaid = own(it, "POST", "api/take", "Content-Type: application/json",
                     "Transfer-Encoding: chunked") + chunks
        equal(status_of(it.send(unsaid)), 413)
        big = own(it, "POST", "api/upload?name=x",
                  "Content-Type: application/octet-stream",
                  f"Content-Length: {1 << 60}")
        equal(status_of(it.send(big)), 507)
        contains(it.said(), "refused a request (413)")
        equal(it.entries(), [])


def test_a_flood_of_refusals_is_not_logged_whole(folder):
    with open_view(folder) as it:
        for _ in range(100):
            it.ask("GET", "/")
        equal(it.said().count("refused") <= 25, True)


def test_what_a_stranger_sends_does_not_steer_the_terminal(folder):
    with open_view(folder) as it:
        it.send(own(it, "GET", "api/state", host="\x1b]0;x\x07" + "y" * 500))
        equal("\x1b" in it.said(), False)
        equal(max(map(len, it.said().splitlines() or [""])) < 400, True)


def test_a_slow_client_keeps_nobody_waiting(folder):
    with open_view(folder) as it:
        slow = []
        for _ in range(8):
            connection = socket.create_connection(("127.0.0.1", it.port))
            connection.sendall(b"GET / HTT")
            slow.append(connection)
        start = time.time()
        it.state()
        equal(time.time() - start < 3, True, "answered at once")
        answer = b""
        slow[0].settimeout(20)
        for byte in b"P/1.1\r\nHost: x\r\nX-Y: " + b"z" * 1000:
            try:
                slow[0].send(bytes([byte]))
            except OSError:
                break
            if time.time() - start > 15:
                break
            time.sleep(0.1)
        try:
            answer = slow[0].recv(4096)
        except OSError:
            pass
        equal(status_of(answer) in (408, None), True, answer)
        equal(time.time() - start < 15, True, "one byte after the other")
        for connection in slow:
            connection.close()


def test_twenty_connections_at_once(folder):
    with open_view(folder) as it:
        found = []

        def ask():
            for _ in range(10):
                found.append(it.get("state").status)
        threads = [threading.Thread(target=ask) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        equal(found, [200] * 200)


def test_too_many_connections_are_told_so(folder):
    with open_view(folder) as it:
        held = [socket.create_connection(("127.0.0.1", it.port))
                for _ in range(80)]
        time.sleep(0.3)
        busy = 0
        for connection in held:
            connection.setblocking(False)
            try:
                busy += status_of(connection.recv(4096)) == 503
            except BlockingIOError:
                pass
        equal(busy, 80 - 64)
        for connection in held:
            connection.close()
        view.until("an answer", lambda: it.get("state").status == 200)


def test_several_requests_on_one_connection(folder):
    with open_view(folder) as it:
        one = (f"GET /{it.token}/api/state HTTP/1.1\r\n"
               f"Host: localhost:{it.port}\r\n\r\n")
        post = (f"POST /{it.token}/api/clear-all HTTP/1.1\r\n"
                f"Host: localhost:{it.port}\r\nContent-Length: 2\r\n"
                "Content-Type: application/json\r\n\r\n{}")
        answer = it.send(one + post + one + own(it, "GET", "api/state"))
        equal(answer.count(b"HTTP/1.1 200 OK"), 4)


def test_nobody_listens_elsewhere(folder):
    with open_view(folder) as it:
        with open("/proc/net/tcp", encoding="ascii") as table:
            lines = [line.split() for line in table]
        bound = [line[1] for line in lines[1:]
                 if line[3] == "0A" and
                 int(line[1].split(":")[1], 16) == it.port]
        equal(bound, [f"0100007F:{it.port:04X}"])
        folders = it.sessions()
        equal(len(folders), 1)
        equal(os.stat(folders[0]).st_mode & 0o777, 0o700)


if __name__ == "__main__":
    main(sys.modules["__main__"])
