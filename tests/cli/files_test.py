#!/usr/bin/env python3
"""The commands that read files, and what they say when they cannot.

    files_test.py HEAPTALLY CLI_MAKE_FILES DOCS_FOLDER
"""

import json
import os
import subprocess
import sys

from made_files import make_files, measure
from tool import (Tool, contains, equal, fails, fails_with, main, matches,
                  succeeds)

heaptally = Tool(sys.argv[1])
COMMANDS = ["run", "ps", "stat", "record", "reset-peak", "snapshot", "report",
            "compare", "dump"]


# Help, versions and mistyped words.

def test_help_lists_every_command(folder):
    out = succeeds(heaptally("--help"))
    for command in COMMANDS:
        contains(out, f"\n  {command} ")
    equal(succeeds(heaptally("help")), out)
    equal(succeeds(heaptally("-h")), out)
    equal("pack" in out, False, "hidden command listed")


def test_each_command_has_help_with_examples(folder):
    for command in COMMANDS:
        out = succeeds(heaptally(command, "--help"))
        matches(out, f"Usage: heaptally {command}.*\nOptions:\n.*"
                     f"\nExamples:\n  heaptally {command}.*")
        equal(out.count(f"\n  heaptally {command}") >= 2, True, command)
        equal(succeeds(heaptally("help", command)), out)
        too_wide = [line for line in out.splitlines() if len(line) > 80]
        equal(too_wide, [], "lines wider than 80 columns")


def test_version(folder):
    matches(succeeds(heaptally("--version")), r"heaptally \d+\.\d+\.\d+\n")


def test_no_command(folder):
    result = heaptally()
    equal(result.status, 2)
    equal(result.out, "")
    equal(result.err, succeeds(heaptally("help")))


def test_an_unknown_command_suggests_the_nearest(folder):
    fails(heaptally("reprot"),
          "heaptally: unknown command reprot; did you mean report?")
    fails(heaptally("frobnicate"), "heaptally: unknown command frobnicate; "
          "heaptally help lists them")
    fails(heaptally("ls"),
          "heaptally: unknown command ls; did you mean ps?")
    fails(heaptally("diff"),
          "heaptally: unknown command diff; did you mean compare?")
    fails(heaptally("help", "stats"),
          "heaptally: unknown command stats; did you mean stat?")


def test_an_unknown_option_suggests_the_nearest(folder):
    fails(heaptally("report", "x", "--invert"),
          "heaptally report: unknown option --invert; did you mean "
          "--inverted?")
    fails(heaptally("report", "x", "--frobnicate"),
          "heaptally report: unknown option --frobnicate; see heaptally "
          "report --help")


def test_missing_and_superfluous_arguments(folder):
    fails(heaptally("report"), "heaptally report: FILE is missing; see "
          "heaptally report --help")
    fails(heaptally("compare", "a"), "heaptally compare: COMPARISON is "
          "missing; see heaptally compare --help")
    fails(heaptally("report", "a", "b"), "heaptally report: one argument too "
          "many: b; see heaptally report --help")
    fails(heaptally("report", "a", "--by"), "heaptally report: --by needs a "
          "value; see heaptally report --help")
    fails(heaptally("report", "a", "--json=x"), "heaptally report: --json "
          "takes no value; see heaptally report --help")


# Values.

def test_bad_values_are_named(folder):
    before, after, _ = make_files(folder)
    fails(heaptally("report", before, "--by", "functions"),
          "heaptally report: --by: unknown grouping functions; did you mean "
          "function? there are traceback, function, file, line, module and "
          "size-class")
    fails(heaptally("report", before, "--top", "-1"),
          "heaptally report: --top: -1 is not a whole number from 0 to "
          "9223372036854775807")
    fails(heaptally("compare", before, after, "--fail-if-grown", "1T"),
          "heaptally compare: --fail-if-grown: 1T is not a size; write bytes "
          "or use K, M or G: 4096, 64K, 1.5M")
    for command in (["report", before], ["compare", before, after]):
        for option in ("--filter", "--exclude"):
            fails_with(heaptally(*command, option, "a("),
                       rf"heaptally {command[0]}: .*a\(.*")


# Files.

def test_a_missing_file(folder):
    path = f"{folder}/none.heaptally"
    for command in ("report", "dump", "pack"):
        fails_with(heaptally(command, path), f"heaptally {command}: .*"
                   "none.heaptally.*No such file or directory.*")
    fails_with(heaptally("compare", path, path), "heaptally compare: .*"
               "none.heaptally.*No such file or directory.*")


def test_what_is_no_snapshot(folder):
    empty = f"{folder}/empty"
    open(empty, "wb").close()
    text = f"{folder}/text"
    with open(text, "w", encoding="utf-8") as file:
        file.write("hello\n" * 100)
    for path in (empty, text, folder):
        for command in ("report", "dump", "pack"):
            fails_with(heaptally(command, path),
                       f"heaptally {command}: [^\n]*{path}[^\n]*")


def test_a_cut_or_changed_file_is_never_accepted(folder):
    before, _, _ = make_files(folder)
    with open(before, "rb") as file:
        whole = file.read()
    bad = f"{folder}/bad.heaptally"
    for size in (1, 63, 64, 65, len(whole) // 2, len(whole) - 1):
        with open(bad, "wb") as file:
            file.write(whole[:size])
        fails_with(heaptally("report", bad),
                   "heaptally report: [^\n]*bad.heaptally[^\n]*")
    for at in range(0, len(whole), 97):
        with open(bad, "wb") as file:
            file.write(whole[:at] + bytes([whole[at] ^ 0x10]) +
                       whole[at + 1:])
        result = heaptally("report", bad)
        if result.status != 0:  # Padding between sections carries nothing.
            fails_with(result, "heaptally report: [^\n]*bad.heaptally[^\n]*")


def test_a_newer_major_version_says_so(folder):
    make_files(folder)
    fails_with(heaptally("report", f"{folder}/newer.heaptally"),
               "heaptally report: .*newer.heaptally.*version 2.*")


def test_a_file_that_may_not_be_read(folder):
    before, _, _ = make_files(folder)
    os.chmod(before, 0)
    if os.geteuid() == 0:  # Root may read everything.
        succeeds(heaptally("report", before))
    else:
        fails_with(heaptally("report", before),
                   "heaptally report: .*before.heaptally.*denied.*")


# Report.

def test_report_for_people(folder):
    before, _, _ = make_files(folder)
    out = succeeds(heaptally("report", before))
    for part in ("game", "main", "Load(char const*)", "Grow"):
        contains(out, part)
    equal("\x1b" in out, False, "escape codes in a pipe")


def test_reports_fit_the_terminal(folder):
    before, after, _ = make_files(folder)
    for words in (["report", before], ["report", after, "--by", "file"],
                  ["compare", before, after]):
        for width in (80, 130):
            out = succeeds(heaptally(*words, env={"COLUMNS": str(width)}))
            too_wide = [line for line in out.splitlines()
                        if len(line) > width and folder not in line]
            equal(too_wide, [], f"{words[0]} in {width} columns")


def test_report_json_has_the_agreed_keys(folder):
    before, _, _ = make_files(folder)
    report = json.loads(succeeds(heaptally("report", before, "--json")))
    process = report["process"]
    equal(process["pid"], 71)
    equal(process["command"], "game")
    equal({"started", "taken"} <= process.keys(), True, "process keys")
    equal(report["mode"], "all")
    total = measure(4, 1210, 1264)
    equal(report["totals"], {"current": total, "peak": total, "ever": total})
    books = report["books"]
    equal(books["balanced"], True)
    equal(books["side_headers"], total)
    equal(books["tracebacks"], total)
    equal(books["process"], total)
    equal(books["jemalloc_allocated"], 9000)
    equal(report["cost"]["pause_ms"], 1.5)
    equal(report["cost"]["duration_ms"], 4)
    equal(report["cost"]["bytes"], 2048)
    equal(report["coverage"]["foreign_frees"], 3)
    equal(report["coverage"]["without_stack"]["before_recording"], 1)
    equal([report["omitted"][key] for key in ("tracebacks", "blocks",
                                              "usable")], [0, 0, 0])
    first = report["tracebacks"][0]
    equal({key: first[key] for key in ("id", "blocks", "requested", "usable",
                                       "at_peak_usable", "ever_blocks")},
          {"id": 17, "blocks": 1, "requested": 1000, "usable": 1024,
           "at_peak_usable": 1024, "ever_blocks": 1})
    frames = [t["frames"] for t in report["tracebacks"] if t["id"] == 16][0]
    wanted = [("Grow", "/src/game/grow.h", 7, "game", True),
              ("Load(char const*)", "/src/game/load.cc", 31, "game", False),
              ("main", "/src/game/main.cc", 20, "game", False)]
    equal([tuple(f[k] for k in ("function", "file", "line", "module",
                                "inlined")) for f in frames], wanted)


def test_report_top_counts_what_it_leaves_out(folder):
    _, after, _ = make_files(folder)
    report = json.loads(succeeds(
        heaptally("report", after, "--json", "--top", "1")))
    equal(len(report["tracebacks"]), 1)
    omitted = report["omitted"]
    equal(omitted["blocks"], 3)
    equal(omitted["usable"], 112 + 16 + 64)
    contains(succeeds(heaptally("report", after, "--top", "1")),
             "3 more tracebacks, 3 blocks")


def test_report_filters_and_excludes(folder):
    _, after, _ = make_files(folder)

    def stacks(*words):
        report = json.loads(succeeds(
            heaptally("report", after, "--json", *words)))
        return sorted(t["id"] for t in report["tracebacks"])
    equal(stacks("--filter", "Cache::"), [17])
    equal(stacks("--filter", "libcache"), [17])
    equal(stacks("--filter", "main", "--exclude", "Cache|Grow"), [18])
    equal(stacks("--filter", "nothing like it"), [])


def test_report_groups(folder):
    _, after, _ = make_files(folder)
    for by, part in (("function", "Cache::Add(int)"), ("file", "cache.cc"),
                     ("module", "libcache.so"), ("size-class", "3072")):
        for more in ([], ["--peak"], ["--inverted"], ["--json"]):
            result = heaptally("report", after, "--by", by, *more)
            if (by, more) == ("size-class", ["--peak"]):
                fails_with(result, "heaptally report: .*size class.*peak.*")
            else:
                contains(succeeds(result).replace(",", ""), part)


def test_the_lists_of_json_keep_their_keys_in_every_grouping(folder):
    before, after, _ = make_files(folder)
    for by in ("function", "file", "module", "size-class"):
        report = json.loads(succeeds(heaptally(
            "report", after, "--json", "--by", by, "--top", "1")))
        equal(report["tracebacks"], [])
        equal(len(report["groups"]), 1)
        omitted = report["omitted"]
        equal(omitted["tracebacks"], 0)
        equal(omitted["groups"] > 0, True)
        for key in ("blocks", "requested", "usable"):
            equal(report["groups"][0][key] + omitted[key],
                  report["totals"]["current"][key], f"{by} {key}")
        change = json.loads(succeeds(heaptally(
            "compare", before, after, "--json", "--by", by)))
        equal(change["tracebacks"], [])
        equal(len(change["groups"]) > 0, True)
        equal([change["omitted"][key] for key in ("tracebacks", "groups")],
              [0, 0])


# Dump.

def test_dump_shows_the_sections(folder):
    before, _, _ = make_files(folder)
    out = succeeds(heaptally("dump", before))
    for part in ("facts", "blocks.address", "command", "game"):
        contains(out, part)
    json.loads(succeeds(heaptally("dump", before, "--json")))
    contains(succeeds(heaptally("dump", before, "--section", "facts")), "pid")
    fails_with(heaptally("dump", before, "--section", "frobnicate"),
               "heaptally dump: .*frobnicate.*")


def test_dump_of_a_damaged_file_names_the_section(folder):
    before, _, _ = make_files(folder)
    with open(before, "r+b") as file:
        file.seek(72)  # In the middle of whatever section comes first.
        byte = file.read(1)
        file.seek(72)
        file.write(bytes([byte[0] ^ 1]))
    result = heaptally("dump", before)
    equal(result.status, 2)
    matches(result.err, "heaptally dump: [^\n]*before.heaptally[^\n]*\n")


# Pipes and devices.

def test_a_reader_that_goes_away_is_no_error(folder):
    _, after, _ = make_files(folder)
    line = (f"'{heaptally.path}' dump {after} | true;"
            " echo ${PIPESTATUS[0]}")
    for _ in range(5):
        done = subprocess.run(["bash", "-c", line], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=True)
        equal((done.stdout, done.stderr), ("0\n", ""))


def test_a_full_device_is_an_error(folder):
    _, after, _ = make_files(folder)
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([heaptally.path, "report", after], stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)
    equal(done.stderr, "heaptally report: cannot write to standard output: No "
                       "space left on device\n")
    equal(done.returncode, 2)


# Pages made from tables.

def test_committed_docs_equal_the_tables(folder):
    for page in ("options", "cli"):
        with open(f"{sys.argv[3]}/{page}.md", encoding="utf-8") as file:
            equal(file.read() == succeeds(heaptally("docs", page)), True,
                  f"docs/{page}.md is what `heaptally docs {page}` prints")


if __name__ == "__main__":
    main(sys.modules["__main__"])
