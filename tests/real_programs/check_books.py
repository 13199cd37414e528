#!/usr/bin/env python3
"""Checks the books of one snapshot.

    check_books.py REPORT_JSON DUMP LEAST_BLOCKS_EVER

With HEAPTALLY_EXPECT_VERIFIED_WALKS in the environment the runtime is one that
walks every stack twice: then it did, and never with another result.
"""

import json
import os
import re
import sys


def fact(dump, key):
    found = re.search(rf"^(?:\s*\d+\s+)?{re.escape(key)}=(\d+)$", dump,
                      re.MULTILINE)
    return int(found.group(1)) if found else 0


def main():
    report_file, dump_file, least = sys.argv[1:]
    with open(report_file, encoding="utf-8") as file:
        report = json.load(file)
    with open(dump_file, encoding="utf-8", errors="replace") as file:
        dump = file.read()
    faults = []
    if report["books"]["balanced"] is not True:
        faults.append(f"not balanced: {report['books']}")
    totals = report["totals"]
    if totals["ever"]["blocks"] < int(least):
        faults.append(f"{totals['ever']['blocks']} blocks ever, not {least}")
    if not (totals["current"]["usable"] <= totals["peak"]["usable"]
            <= totals["ever"]["usable"]):
        faults.append(f"not current <= peak <= ever: {totals}")
    verified = fact(dump, "walks_verified")
    if os.environ.get("HEAPTALLY_EXPECT_VERIFIED_WALKS"):
        different = fact(dump, "walks_different")
        if verified == 0 or different != 0:
            faults.append(f"{verified} walks verified, {different} different")
    for fault in faults:
        print(fault)
    if faults:
        sys.exit(1)
    print(f"books balanced: {totals['ever']['blocks']} blocks ever, "
          f"{totals['current']['blocks']} now"
          + (f", {verified} walks verified" if verified else ""))


if __name__ == "__main__":
    main()
