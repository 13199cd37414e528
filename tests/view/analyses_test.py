#!/usr/bin/env python3
"""What the page is told about snapshots and comparisons: exact numbers.

    analyses_test.py HEAPTALLY MONSTERS MAKE_SNAPSHOT MAKE_FILES SOURCE_ROOT
"""

import os
import shutil
import subprocess
import sys
import threading

import view
from tool import Tool, contains, equal, main, succeeds

tool, monsters, make_snapshot, _, root = sys.argv[1:6]
heaptally = Tool(tool)
SOURCE = "integration/demo/monsters.cc"

DUSK = [2033, 255568, 272864]
DAWN = [2698, 391248, 411104]
PEAK = [2699, 391348, 411216]
EVER = 13108
# site: requested and usable bytes of a block.
SIZES = {"ledger": (32768, 32768), "monster": (64, 64), "name": (40, 48),
         "hoard": (4096, 4096), "footprint": (100, 112)}
AT_DAWN = {"ledger": 1, "monster": 1330, "name": 1330, "hoard": 35,
           "footprint": 0}
AT_PEAK = {**AT_DAWN, "footprint": 1}
EVER_AT_DAWN = {"ledger": 1, "monster": 1535, "name": 1535, "hoard": 35,
                "footprint": 10000}
# site: added, freed, survived.
OVERNIGHT = {"ledger": (0, 0, 1), "monster": (525, 205, 805),
             "name": (525, 205, 805), "hoard": (25, 0, 10)}
GROUPINGS = ("stack", "inverted", "function", "file", "line", "module",
             "size-class")


def measure(site, blocks):
    requested, usable = SIZES[site]
    return [blocks, blocks * requested, blocks * usable]


def plus(*measures):
    return [sum(column) for column in zip(*measures)]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def sites():
    with open(f"{root}/{SOURCE}", encoding="utf-8") as lines:
        return {line.split("// site: ")[1].strip(): number
                for number, line in enumerate(lines, 1) if "// site: " in line}


class Night:
    """The page with dusk as 1 and dawn as 2; made once for all tests."""

    def __init__(self, folder):
        self.view = view.View(tool, folder, "--sources", root)
        with view.Monsters(tool, monsters, self.view.runtime) as demo:
            self.view.take(demo.pid, "dusk")
            demo.go_on()
            demo.mark(2)
            self.view.take(demo.pid, "dawn")

    def __enter__(self):
        return self.view

    def __exit__(self, *what):
        self.view.__exit__(*what)


def by_site(rows):
    lines = {number: site for site, number in sites().items()}
    return {lines[row["line"]]: row for row in rows
            if row["file"].endswith(SOURCE) and row["line"] in lines}


def test_rows_by_line(folder):
    with Night(folder) as it:
        answer = it.rows("2", by="line", limit=1000)
        equal((answer["of"], answer["kind"]), ("2", "snapshot"))
        equal(answer["whole"]["current"], DAWN)
        equal(answer["whole"]["at_peak"], PEAK)
        equal(answer["whole"]["ever"][0], EVER)
        equal((answer["matched"], answer["left_out"]["current"]),
              (answer["whole"], [0, 0, 0]))
        rows = by_site(answer["rows"])
        for site, row in rows.items():
            equal(row["self"]["current"], measure(site, AT_DAWN[site]), site)
            equal(row["self"]["at_peak"], measure(site, AT_PEAK[site]), site)
            equal(row["self"]["ever"][0], EVER_AT_DAWN[site], site)
        equal(set(rows) >= {"ledger", "monster", "name", "hoard"}, True, rows)
        ever = by_site(it.rows("2", by="line", series="ever",
                               limit=1000)["rows"])
        equal(ever["footprint"]["self"]["ever"][0], 10000)


def test_rows_of_a_comparison(folder):
    with Night(folder) as it:
        answer = it.rows("1..2", by="line", limit=1000)
        equal(answer["kind"], "comparison")
        whole = answer["whole"]
        equal(whole["net"], minus(DAWN, DUSK))
        equal(minus(whole["added"], whole["freed"]), whole["net"])
        equal(plus(whole["survived"], whole["added"]), DAWN)
        equal(plus(whole["survived"], whole["freed"]), DUSK)
        for site, row in by_site(answer["rows"]).items():
            added, freed, survived = OVERNIGHT[site]
            equal((row["self"]["added"], row["self"]["freed"],
                   row["self"]["survived"]),
                  (measure(site, added), measure(site, freed),
                   measure(site, survived)), site)
        contains(answer["matched_by"], "address")
        contains(answer["sentence"], "135 KiB")
        nets = [row["self"]["net"][2] for row in answer["rows"]]
        equal(nets, sorted(nets, reverse=True), "growth first")
        swapped = it.rows("2..1", by="line", limit=1000)["whole"]
        equal((swapped["added"], swapped["freed"], swapped["survived"]),
              (whole["freed"], whole["added"], whole["survived"]))
        equal(swapped["net"], minus(DUSK, DAWN))


def test_every_grouping_adds_up(folder):
    with Night(folder) as it:
        for of, whole in (("2", DAWN), ("1..2", minus(DAWN, DUSK))):
            series = "current" if of == "2" else "net"
            for by in GROUPINGS:
                for fold in (0, 1):
                    answer = it.rows(of, by=by, fold=fold, limit=10000)
                    part = "total" if by == "stack" else "self"
                    sums = plus(*[row[part][series]
                                  for row in answer["rows"]])
                    equal(sums, whole, f"{of} by {by}")
                    equal(len(answer["rows"]), answer["total_rows"])
                    tree = it.analysis("tree", of=of, by=by, fold=fold)
                    equal(tree.status, 200, tree.body)
                    equal(tree.json()["cut"]["nodes"] >= 0, True)


def test_pages_of_rows(folder):
    with Night(folder) as it:
        every = it.rows("2", by="function", limit=1000)["rows"]
        pages = []
        for offset in range(0, len(every), 2):
            page = it.rows("2", by="function", offset=offset, limit=2)
            equal((page["offset"], page["total_rows"]), (offset, len(every)))
            pages += page["rows"]
        equal(pages, every)
        names = [row["name"] for row in it.rows(
            "2", by="function", sort="name", desc=0, limit=1000)["rows"]]
        equal(names, sorted(names, key=str.lower) if names != sorted(names)
              else sorted(names))


def test_opening_rows_down_to_the_leaves(folder):
    with Night(folder) as it:
        for by in ("stack", "inverted", "module", "file"):
            self, todo, seen = [0, 0, 0], [""], 0
            while todo:
                path = todo.pop()
                for row in it.rows("2", by=by, path=path, limit=1000)["rows"]:
                    seen += 1
                    self = plus(self, row["self"]["current"])
                    if row["children"]:
                        todo.append(f"{path}.{row['key']}" if path
                                    else row["key"])
            equal(seen > 5, True, by)
            if by == "stack":
                equal(self, DAWN)


def test_filters(folder):
    with Night(folder) as it:
        answer = it.rows("2", by="line", filter="hatchDRAGONS")
        # A dragon is a monster with a name and a hoard.
        equal(answer["matched"]["current"],
              plus(measure("hoard", 35), measure("monster", 30),
                   measure("name", 30)))
        equal(plus(answer["matched"]["current"],
                   answer["left_out"]["current"]), DAWN)
        without = it.rows("2", by="line", exclude="HatchDragons")
        equal(without["matched"]["current"], answer["left_out"]["current"])
        regex = it.rows("2", by="line", filter="Hatch(Slimes|Dragons)",
                        regex=1)
        equal(regex["matched"]["current"][0],
              plus(answer["matched"]["current"],
                   measure("monster", 1300), measure("name", 1300))[0])
        nothing = it.rows("2", filter="no such function")
        equal((nothing["rows"], nothing["total_rows"],
               nothing["matched"]["current"]), ([], 0, [0, 0, 0]))
        wrong = it.analysis("rows", of="2", filter="(", regex=1)
        equal(wrong.status, 400)
        equal(wrong.error()[-1], ".")


def test_individuals(folder):
    with Night(folder) as it:
        rows = by_site(it.rows("2", by="line", limit=1000)["rows"])
        found = []
        while True:
            answer = it.analysis("individuals", of="2", by="line",
                                 path=rows["name"]["key"], part="self",
                                 offset=len(found), limit=500).json()
            equal(answer["total"], 1330)
            if not answer["rows"]:
                break
            found += answer["rows"]
        equal(len({block["address"] for block in found}), 1330)
        equal({(b["requested"], b["usable"]) for b in found}, {(40, 48)})
        # Slimes live from before the first snapshot and from after it.
        equal(sorted({b["age"] for b in found}), [0, 1])
        changes = {"new": 0, "freed": 0, "survived": 0}
        rows = by_site(it.rows("1..2", by="line", limit=1000)["rows"])
        blocks = it.analysis("individuals", of="1..2", by="line",
                             path=rows["name"]["key"], part="self",
                             limit=10000).json()
        for block in blocks["rows"]:
            changes[block["change"]] += 1
        equal(changes, {"new": 525, "freed": 205, "survived": 805})


def test_the_whole_stack(folder):
    with Night(folder) as it:
        rows = by_site(it.rows("2", by="line", limit=1000)["rows"])
        block = it.analysis("individuals", of="2", by="line",
                            path=rows["hoard"]["key"],
                            limit=1).json()["rows"][0]
        stack = it.analysis("stack", of="2",
                            traceback=block["traceback"]).json()
        names = [frame["name"] for frame in stack["frames"]]
        contains(names[0], "HatchDragons")
        equal("main" in names, True, names)
        equal((stack["end"], stack["reason"]), ("complete", None))
        for name in names:
            contains(stack["text"], name)
        for wrong in ("x", "-1", "99999999"):
            answer = it.analysis("stack", of="2", traceback=wrong)
            equal(answer.status in (400, 404), True, wrong)


def test_summaries(folder):
    with Night(folder) as it:
        one = it.analysis("summary", of="2").json()
        equal(one["totals"]["current"], DAWN)
        equal(one["peak"]["measure"], PEAK)
        equal(one["books"]["balanced"], True)
        equal(one["coverage"]["with_stack"], DAWN)
        equal(plus(*[[s["blocks"], s["requested"], s["usable_bytes"]]
                     for s in one["sizes"]]), DAWN)
        two = it.analysis("summary", of="1..2").json()
        equal(two["totals"]["net"], minus(DAWN, DUSK))


def test_lines_of_source(folder):
    with Night(folder) as it:
        rows = by_site(it.rows("2", by="line", limit=1000)["rows"])
        for site, row in rows.items():
            answer = it.get("source", of="2", file=row["file"],
                            line=row["line"]).json()
            equal((answer["path"], answer["line"]),
                  (os.path.realpath(f"{root}/{SOURCE}"), row["line"]))
            contains(answer["lines"][row["line"] - answer["first"]],
                     f"// site: {site}")
        for file in ("/etc/passwd", "../../../../etc/passwd", f"{root}/LICENSE",
                     "LICENSE", f"{root}/{SOURCE}x", "\0"):
            answer = it.get("source", of="2", file=file, line=1)
            equal(answer.status in (400, 404), True, file)
        for line in ("0", "-1", "x", "", 1 << 40):
            equal(it.get("source", of="2", file=rows["name"]["file"],
                         line=line).status, 400, line)
        beyond = it.get("source", of="2", file=rows["name"]["file"],
                        line=100000).json()
        contains(beyond["missing"], "has no line 100000")


def test_source_stays_below_its_folders(folder):
    """A link below --sources that leads out is not followed."""
    file = f"{folder}/night.heaptally"
    with Night(folder) as it:
        it.post("entries/2/save", path=file)
        row = by_site(it.rows("2", by="line", limit=1000)["rows"])["name"]
    named = row["file"].lstrip("/")
    for kind in ("link", "folder link", "map", "nothing"):
        below = f"{folder}/{kind}"
        os.makedirs(os.path.dirname(f"{below}/{named}"))
        words = ["--sources", below]
        if kind == "link":
            os.symlink(f"{root}/{SOURCE}", f"{below}/{named}")
        elif kind == "folder link":
            os.rmdir(os.path.dirname(f"{below}/{named}"))
            os.symlink(os.path.dirname(f"{root}/{SOURCE}"),
                       os.path.dirname(f"{below}/{named}"))
        elif kind == "map":
            shutil.copy(f"{root}/{SOURCE}", f"{below}/there.cc")
            words = ["--source-map",
                     f"{os.path.dirname(row['file'])}={below}"]
            os.rename(f"{below}/there.cc",
                      f"{below}/{os.path.basename(named)}")
        with view.View(tool, folder, *words, file) as it:
            view.until("the file", lambda it=it: it.entry()["state"] ==
                       "ready")
            answer = it.analysis("source", of="1", file=row["file"],
                                 line=row["line"]).json()
            if kind == "map":
                equal(answer["line"], row["line"])
            else:
                contains(answer["missing"], "--sources DIR")


def test_what_cannot_be_asked(folder):
    with Night(folder) as it:
        for of, status in (("", 400), ("9", 404), ("1..9", 404),
                           ("1..2..1", 400), ("x", 404), ("../1", 404),
                           ("..", 404), ("1/../2", 404), ("%00", 404)):
            for path in ("rows", "tree", "individuals", "stack", "summary",
                         "source"):
                answer = it.get(path, of=of)
                equal(answer.status, status, (path, of))
                equal(answer.error()[-1], ".")
        for wrong in ({"by": "type"}, {"series": "x"}, {"unit": "x"},
                      {"fold": "x"}, {"regex": "x"}, {"sort": "x"},
                      {"limit": "x"}, {"offset": "-1"}, {"path": "g99999"},
                      {"path": "../.."}):
            answer = it.analysis("rows", of="2", **wrong)
            equal(answer.status in (400, 404), True, wrong)
            equal(answer.error()[-1], ".")


def test_a_made_file_adds_up_like_its_report(folder):
    file = f"{folder}/made.heaptally"
    subprocess.run([make_snapshot, file, "20000", "500", "30", "3", "--named"],
                   check=True)
    import json
    report = json.loads(succeeds(heaptally("report", file, "--json")))
    whole = [report["totals"]["current"][key]
             for key in ("blocks", "requested", "usable")]
    equal(whole[0], 20000)
    with view.View(tool, folder, file) as it:
        view.until("the file", lambda: it.entry()["state"] == "ready")
        equal(it.entry()["total"], whole)
        for by in GROUPINGS:
            answer = it.rows("1", by=by, limit=10000)
            equal(answer["whole"]["current"], whole, by)
            part = "total" if by == "stack" else "self"
            if answer["total_rows"] <= 10000:
                equal(plus(*[row[part]["current"]
                             for row in answer["rows"]]), whole, by)


def test_many_who_ask_at_once_get_the_same(folder):
    with Night(folder) as it:
        answers, lock = {}, threading.Lock()

        def ask(number):
            of = ("1", "2", "1..2")[number % 3]
            by = GROUPINGS[number % 7]
            body = it.analysis("rows", of=of, by=by).body
            with lock:
                answers.setdefault((of, by), set()).add(body)
        for _ in range(3):
            threads = [threading.Thread(target=ask, args=(n,))
                       for n in range(21)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        equal(len(answers), 21)
        equal({len(bodies) for bodies in answers.values()}, {1})


def test_cancelling_what_is_prepared(folder):
    files = [f"{folder}/{name}.heaptally" for name in "ab"]
    for file in files:
        subprocess.run([make_snapshot, file, "500000", "50000", "--named"],
                       check=True)
    with view.View(tool, folder, *files) as it:
        view.until("both files", lambda: all(
            e["state"] == "ready" for e in it.entries()))
        states = set()
        for of in ("1..2", "2..1", "1", "2", "1..1"):
            answer = it.get("rows", of=of)
            if answer.status != 202:
                continue
            again = it.get("tree", of=of)
            if again.status == 202:
                equal(again.json(), answer.json(), "one task for both")
            it.post(f"tasks/{answer.json()['task']}/cancel")
            states.add(it.finished(answer)["state"])
        equal("cancelled" in states, True, states)
        equal(it.rows("1")["whole"]["current"][0], 500000)


if __name__ == "__main__":
    main(sys.modules["__main__"])
