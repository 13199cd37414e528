#!/usr/bin/env python3
"""The listener for leaks and its flags: listener_test.py LEAKY_TESTS JEMALLOC

Runs the program with each flag and compares which tests failed, and why. The
last runs put another allocator before heaptally: nothing may pass silently.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


def run(*flags, preload=None, variables=None, status):
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith("HEAPTALLY")}
    if preload:
        environment["LD_PRELOAD"] = preload
    environment.update(variables or {})
    result = subprocess.run([sys.argv[1], *flags], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            timeout=60, check=False)
    if result.returncode != status:
        sys.exit(f"{flags}: exit status {result.returncode} instead of "
                 f"{status}\n{result.stdout}")
    return result.stdout


def failed(output):
    """The tests that failed, with repetitions, in their order."""
    return re.findall(r"^\[  FAILED  \] (\S+) \(\d+ ms\)$", output, re.M)


def check(what, wanted, found):
    if wanted != found:
        sys.exit(f"{what}: expected {wanted}, found {found}")
    print("ok:", what)


def contains(what, wanted, output):
    if wanted not in output:
        sys.exit(f"{what}: no {wanted!r} in\n{output}")
    print("ok:", what)


def line_of(text):
    source = pathlib.Path(__file__).with_name("leaky_tests.cc")
    lines = source.read_text(encoding="utf-8").splitlines()
    return str(next(i for i, line in enumerate(lines, 1) if text in line))


def main():
    both = ["Leaky.KeepsBlocks", "Leaky.FillsACache"]
    output = run(status=1)
    check("leaking tests fail, and only these", both, failed(output))
    contains("the blocks are counted",
             "leaky_tests.cc:LINE: Failure\nFailed\nthe test leaks 30 blocks, "
             "9000 bytes (9600 usable)".replace("LINE", line_of("TEST(Leaky, Keeps")),
             output)
    contains("with the line that allocates",
             f"leaky_tests.cc:{line_of('void Leak(')}\n", output)

    output = run("--heaptally_leaks=warn", status=0)
    check("a warning is no failure", [], failed(output))
    check("each leak is warned of", 2, output.count("[  LEAKS   ] the test"))
    output = run("--heaptally_leaks=off", status=0)
    check("off is silent", 0, output.count("LEAKS"))
    output = run(variables={"HEAPTALLY_LEAKS": "off"}, status=0)
    check("the environment tells, too", [], failed(output))

    output = run("--heaptally_baseline", status=1)
    check("a cache is no leak after the baseline run",
          ["Leaky.KeepsBlocks"], failed(output))

    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("# the cache stays\nfunction: .*::Cache(\\[abi:.*\\])?\n"
                   "function: Lea\n")
        file.flush()
        flag = "--heaptally_suppressions=" + file.name
        output = run(flag, status=1)
        check("a suppression matches what it says",
              ["Leaky.KeepsBlocks"], failed(output))
        contains("one that matches nothing is told",
                 "'function: Lea' matched nothing", output)
        file.write("nonsense\n")
        file.flush()
        contains("a bad line is refused", ":4: 'nonsense'",
                 run(flag, status=2))
    contains("an unknown flag is refused", "has no meaning",
             run("--heaptally_leaks=maybe", status=2))

    other = sys.argv[2]
    why = "heaptally is not the allocator of this program"
    output = run(preload=other, status=1)
    contains("another allocator is told", why, output)
    check("a macro fails under another allocator", ["Macro.Passes"],
          failed(output))
    output = run("--heaptally_inactive=skip", preload=other, status=0)
    contains("or is skipped", "[  SKIPPED ] Macro.Passes", output)
    contains("with the reason", why, output)


if __name__ == "__main__":
    main()
