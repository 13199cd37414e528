#!/usr/bin/env python3
"""`heaptally compare`, between snapshots of one process and of two.

    compare_test.py HEAPTALLY CLI_MAKE_FILES
"""

import json
import sys

from made_files import make_files, measure
from tool import (Tool, contains, equal, fails_with, main, matches, succeeds)

heaptally = Tool(sys.argv[1])


def test_compare_json_has_the_agreed_keys(folder):
    before, after, _ = make_files(folder)
    result = json.loads(succeeds(
        heaptally("compare", before, after, "--json")))
    matches(result["matched_by"], ".*epoch.*")
    equal(result["totals"], {"new": measure(2, 3050, 3136),
                             "freed": measure(1, 100, 112),
                             "survived": measure(3, 1110, 1152),
                             "net": measure(1, 2950, 3024)})
    first = result["tracebacks"][0]
    equal(first["new"], measure(1, 3000, 3072))
    equal(first["freed"], measure(0, 0, 0))
    equal(first["survived"], measure(1, 1000, 1024))
    equal(first["net"], measure(1, 3000, 3072))
    equal([f["function"] for f in first["frames"]],
          ["Cache::Add(int)", "main"])
    last = result["tracebacks"][-1]
    equal(last["net"], measure(-1, -100, -112))


def test_compare_of_two_processes_says_how_it_matched(folder):
    before, _, other = make_files(folder)
    result = json.loads(succeeds(
        heaptally("compare", before, other, "--json")))
    matches(result["matched_by"], ".*symbolised.*")
    equal(result["totals"]["net"], measure(1, 2950, 3024))
    note = next(n for n in result["notes"] if "two processes" in n)
    contains(note, "the smaller of the two numbers counts as survived")
    contains(note, "The net is exact.")
    # Two blocks of 112 bytes against one: field by field.
    for change in [t for t in result["tracebacks"]] + [result["totals"]]:
        for key in ("blocks", "requested", "usable"):
            equal(change["new"][key] - change["freed"][key],
                  change["net"][key])


def test_compare_the_wrong_way_round(folder):
    before, after, _ = make_files(folder)
    fails_with(heaptally("compare", after, before), "heaptally compare: .*")


def test_fail_if_grown(folder):
    before, after, _ = make_files(folder)
    grown = heaptally("compare", before, after, "--fail-if-grown", "3023")
    equal(grown.status, 1)
    equal(grown.err, "heaptally compare: the heap grew by 3,024 usable bytes, "
                     "and --fail-if-grown allows 3,023\n")
    contains(grown.out, "Cache::Add(int)")
    succeeds(heaptally("compare", before, after, "--fail-if-grown", "3024"))
    succeeds(heaptally("compare", before, after, "--fail-if-grown", "0",
                       "--filter", "Grow"))
    succeeds(heaptally("compare", before, before, "--fail-if-grown", "0"))


def test_compare_groups_and_cuts(folder):
    before, after, _ = make_files(folder)
    for by, part in (("function", "Cache::Add(int)"), ("file", "cache.cc"),
                     ("line", "cache.cc:"),
                     ("module", "libcache.so"), ("size-class", "3072")):
        contains(succeeds(heaptally("compare", before, after, "--by",
                                    by)).replace(",", ""), part)
        json.loads(succeeds(heaptally("compare", before, after, "--by", by,
                                      "--json")))
    contains(succeeds(heaptally("compare", before, after, "--top", "1")),
             "more tracebacks")


if __name__ == "__main__":
    main(sys.modules["__main__"])
