#!/usr/bin/env python3
"""The demo's known answers: blocks and bytes for each line marked `site:`.

    monsters_test.py HEAPTALLY MONSTERS SOURCE

Runs the demo under heaptally, takes a snapshot at each of its marks and
compares what heaptally counts per line of source with the arithmetic below.
"""

import json
import subprocess
import sys
import tempfile

# site: (requested bytes a block, usable bytes a block)
SIZES = {
    "ledger": (8 * 4096, 8 * 4096),
    "monster": (64, 64),
    "name": (40, 48),
    "hoard": (4096, 4096),
    "footprint": (100, 112),
}
# site: blocks at the mark
AT_DUSK = {"ledger": 1, "monster": 1010, "name": 1010, "hoard": 10}
AT_DAWN = {"ledger": 1, "monster": 1330, "name": 1330, "hoard": 35}
EVER_AT_DAWN = {"ledger": 1, "monster": 1535, "name": 1535, "hoard": 35,
                "footprint": 10000}
# site: (new, freed, survived, net)
OVERNIGHT = {
    "ledger": (0, 0, 1, 0),
    "monster": (525, 205, 805, 320),
    "name": (525, 205, 805, 320),
    "hoard": (25, 0, 10, 25),
}
COLUMNS = ("new", "freed", "survived", "net")

failures = []


def check(what, got, want):
    if got != want:
        failures.append(f"{what}: got {got}, want {want}")


def sites(source):
    """Line of source -> name of the site marked there."""
    found = {}
    with open(source, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if "// site: " in line:
                found[number] = line.split("// site: ")[1].strip()
    assert set(found.values()) == set(SIZES), found
    return found


def site_of(traceback, lines):
    """The innermost frame in the demo's own source says whose block it is. All
    frames before it (a vector's, inlined) are the demo's as well: a traceback
    begins in the caller of operator new or malloc."""
    for frame in traceback["frames"]:
        function = frame["function"] or ""
        if frame["module"] != "monsters" or function.startswith("operator new"):
            return None
        if (frame.get("file") or "").endswith("demo/monsters.cc"):
            return lines.get(frame["line"])
    return None


def triple(counts):
    return counts["blocks"], counts["requested"], counts["usable"]


def sum_by_site(tracebacks, lines, counts_of):
    sums = {}
    for traceback in tracebacks:
        site = site_of(traceback, lines)
        if site is not None:
            old = sums.get(site, (0, 0, 0))
            sums[site] = tuple(
                map(sum, zip(old, triple(counts_of(traceback)))))
    return sums


def expected(blocks):
    return {site: (n, n * SIZES[site][0], n * SIZES[site][1])
            for site, n in blocks.items()}


def nonzero(sums):
    return {site: counts for site, counts in sums.items() if any(counts)}


def run_json(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True,
                          timeout=60)
    return json.loads(done.stdout)


def check_report(heaptally, file, lines, blocks):
    report = run_json(heaptally, "report", file, "--json")
    check(f"{file}: books", report["books"]["balanced"], True)
    check(f"{file}: mode", report["mode"], "all")
    sums = sum_by_site(report["tracebacks"], lines, lambda t: t)
    check(f"{file}: by line", nonzero(sums), expected(blocks))
    return report


def check_ever(report, lines):
    """Blocks ever: none is forgotten, the footprints included."""
    ever = {}
    for traceback in report["tracebacks"]:
        site = site_of(traceback, lines)
        if site is not None:
            ever[site] = ever.get(site, 0) + traceback["ever_blocks"]
    for site, blocks in ever.items():
        check(f"blocks ever of {site}", blocks, EVER_AT_DAWN[site])


def check_compare(heaptally, first, second, lines):
    compare = run_json(heaptally, "compare", first, second, "--json")
    for i, column in enumerate(COLUMNS):
        sums = sum_by_site(compare["tracebacks"], lines,
                           lambda t, c=column: t[c])
        want = {site: row[i] for site, row in OVERNIGHT.items() if row[i]}
        # Tracebacks that did not change need not be listed.
        if column == "survived":
            want = {site: n for site, n in want.items() if site in sums}
        check(f"compare: {column} by line", nonzero(sums), expected(want))


def main():
    heaptally, monsters, source = sys.argv[1:]
    lines = sites(source)
    with tempfile.TemporaryDirectory() as directory:
        dusk, dawn = f"{directory}/dusk.heaptally", f"{directory}/dawn.heaptally"
        demo = subprocess.Popen([heaptally, "run", "--", monsters],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                text=True)
        try:
            check("mark 1", demo.stdout.readline(),
                  "mark 1: dusk, 1010 monsters in the registry\n")
            subprocess.run([heaptally, "snapshot", str(demo.pid), "-o", dusk,
                            "--label", "dusk"], check=True, timeout=60,
                           stdout=subprocess.DEVNULL)
            demo.stdin.write("\n")
            demo.stdin.flush()
            check("mark 2", demo.stdout.readline(),
                  "mark 2: dawn, 1330 monsters in the registry\n")
            subprocess.run([heaptally, "snapshot", str(demo.pid), "-o", dawn,
                            "--label", "dawn"], check=True, timeout=60,
                           stdout=subprocess.DEVNULL)
            rest, _ = demo.communicate("\n", timeout=60)
            check("the rest", rest, "the night is over\n")
            check("exit status", demo.returncode, 0)
        finally:
            demo.kill()
        check_report(heaptally, dusk, lines, AT_DUSK)
        check_ever(check_report(heaptally, dawn, lines, AT_DAWN), lines)
        check_compare(heaptally, dusk, dawn, lines)
    for failure in failures:
        print("FAILED", failure)
    if failures:
        sys.exit(1)
    print("every line of the demo holds what it must")


if __name__ == "__main__":
    main()
