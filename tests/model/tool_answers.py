"""What the command line says about the model's snapshots, compared with the
model: report --json and compare --json."""

import json
import re
import subprocess

ZERO = (0, 0, 0)
DOORS = 18
STRDUP = 9
FIELDS = ("blocks", "requested", "usable")
DOOR_FUNCTION = re.compile(r"AllocateAt<(\d+), *(\d+)>")
GROUPS = ("new", "freed", "survived")


def answer(tool, *arguments):
    done = subprocess.run([tool, *arguments, "--json"], check=True, text=True,
                          capture_output=True, timeout=120)
    return json.loads(done.stdout)


def amount(row):
    return tuple(row[field] for field in FIELDS)


def plus(a, b):
    return tuple(x + y for x, y in zip(a, b))


def net_of(groups):
    return tuple(a - b for a, b in zip(groups["new"], groups["freed"]))


def key_of(row):
    """The call site, which must be the first frame: only strdup has one, the C
    library's, before it."""
    for depth, frame in enumerate(row["frames"]):
        if "::Handler(int)" in (frame["function"] or ""):
            assert depth == 0, row["frames"]
            return None
        match = DOOR_FUNCTION.search(frame["function"] or "")
        if match:
            door = int(match[2])
            assert depth == (1 if door == STRDUP else 0), row["frames"]
            return int(match[1]) * DOORS + door
    return None


def check_report(tool, snapshot, complaints):
    report = answer(tool, "report", snapshot.expected["file"])
    file = snapshot.file
    complaints.expect("report: balanced", report["books"]["balanced"], True)
    for name in ("current", "peak", "ever"):
        complaints.expect(f"report: {name}", amount(report["totals"][name]),
                          file.amount(name))
    rows = {}
    for row in report["tracebacks"]:
        key = key_of(row)
        old = rows.get(key, (ZERO, 0, 0))
        rows[key] = (plus(old[0], amount(row)), old[1] + row["ever_blocks"],
                     old[2] + row["at_peak_usable"])
    for text, account in snapshot.expected["keys"].items():
        key = int(text)
        if key < DOORS * 20 and snapshot.expected["keys_known"]:
            seen = rows.get(key, (ZERO, 0, 0))
            complaints.expect(f"report: current and ever of key {key}",
                              seen[:2], (tuple(account["current"]),
                                         account["ever"][0]))
    complaints.expect("report: omitted", report["omitted"]["blocks"], 0)


def expected_changes(baseline, comparison):
    """{key: {group: amount}} from the serials of the blocks."""
    old = {block[2]: block for block in baseline.expected["blocks"]}
    new = {block[2]: block for block in comparison.expected["blocks"]}
    changes = {}

    def add(group, block):
        row = changes.setdefault(block[1], dict.fromkeys(GROUPS, ZERO))
        row[group] = plus(row[group], (1, block[3], block[4]))

    for serial, block in new.items():
        add("survived" if serial in old else "new", block)
    for serial, block in old.items():
        if serial not in new:
            add("freed", block)
    return changes


def check_compare(tool, baseline, comparison, complaints):
    compared = answer(tool, "compare", baseline.expected["file"],
                      comparison.expected["file"])
    one_process = (baseline.file.facts()["process_id"] ==
                   comparison.file.facts()["process_id"])
    rows = {}
    for row in compared["tracebacks"]:
        sums = rows.setdefault(key_of(row), dict.fromkeys(GROUPS, ZERO))
        for group in GROUPS:
            sums[group] = plus(sums[group], amount(row[group]))
        groups = {group: amount(row[group]) for group in GROUPS}
        complaints.expect("compare: net", amount(row["net"]), net_of(groups))
    for key, groups in expected_changes(baseline, comparison).items():
        if key >= DOORS * 20 or not comparison.expected["keys_known"]:
            continue
        seen = rows.get(key, dict.fromkeys(GROUPS, ZERO))
        if one_process:
            complaints.expect(f"compare: key {key}", seen, groups)
        else:  # A forked child: blocks cannot be matched, only amounts.
            complaints.expect(f"compare: net of key {key}", net_of(seen),
                              net_of(groups))


def check(tool, snapshots, complaints):
    for snapshot in snapshots:
        check_report(tool, snapshot, complaints)
    for baseline, comparison in zip(snapshots, snapshots[1:]):
        check_compare(tool, baseline, comparison, complaints)
    check_compare(tool, snapshots[1], snapshots[-2], complaints)
