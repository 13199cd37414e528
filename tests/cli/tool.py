"""Runs the tool and checks what it prints. Every test is a function named
test_*; main() runs them all and lists what failed."""

import os
import re
import subprocess
import sys
import tempfile
import traceback


class Result:
    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr


class Tool:
    def __init__(self, path):
        self.path = os.path.abspath(path)

    def __call__(self, *words, env=None, cwd=None, stdin=None, timeout=60):
        environment = clean_environment()
        environment.update(env or {})
        done = subprocess.run(
            [self.path, *map(str, words)], env=environment, cwd=cwd,
            input=stdin, stdin=None if stdin is not None else
            subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, timeout=timeout, check=False)
        return Result(done)


def clean_environment():
    """Ours without what would change the tool's ways."""
    return {name: value for name, value in os.environ.items()
            if name not in ("HEAPTALLY", "LD_PRELOAD", "COLUMNS")}


def equal(got, want, what="value"):
    if got != want:
        raise AssertionError(f"{what}: got {got!r}, want {want!r}")


def contains(text, part):
    if part not in text:
        raise AssertionError(f"{part!r} is not in {text!r}")


def matches(text, pattern):
    if not re.fullmatch(pattern, text, re.DOTALL):
        raise AssertionError(f"{text!r} does not match {pattern!r}")


def fails(result, sentence):
    """Nothing on stdout, one sentence on stderr, exit status 2."""
    equal(result.err, sentence + "\n", "stderr")
    equal(result.out, "", "stdout")
    equal(result.status, 2, "status")


def fails_with(result, pattern):
    matches(result.err, pattern + "\n")
    equal(result.err.count("\n"), 1, "lines on stderr")
    equal(result.out, "", "stdout")
    equal(result.status, 2, "status")


def succeeds(result):
    equal(result.err, "", "stderr")
    equal(result.status, 0, "status")
    return result.out


def main(module):
    tests = [(name, test) for name, test in vars(module).items()
             if name.startswith("test_")]
    failed = 0
    for name, test in tests:
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(folder)
            except Exception:  # The other tests are worth their result.
                failed += 1
                print(f"FAILED {name}")
                traceback.print_exc(file=sys.stdout)
    print(f"{len(tests) - failed} of {len(tests)} tests passed")
    sys.exit(1 if failed else 0)
