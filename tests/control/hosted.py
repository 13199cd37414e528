"""What the tests of the control socket share: the program that they talk to,
small checks, and main(), which runs every function named test_*."""

import os
import sys
import tempfile
import traceback

from control import Program

RUNTIME = os.path.abspath(sys.argv[1])
HOST = os.path.abspath(sys.argv[2])


def host(folder, *words, **more):
    program = Program(RUNTIME, folder, [HOST, *map(str, words)], **more)
    return program


def equal(got, want):
    assert got == want, f"got {got!r}, want {want!r}"


def ask(program, request):
    with program.connect() as connection:
        return connection.ask(request)


def names_in(path):
    return sorted(os.listdir(path))


def descriptors(pid):
    """The program's open files, without those of the listing."""
    return {name: os.readlink(f"/proc/{pid}/fd/{name}")
            for name in names_in(f"/proc/{pid}/fd")}


def kinds_of(files):
    return {fd: target.split(":")[0] for fd, target in files.items()}


def main(module):
    tests = [(name, test) for name, test in vars(module).items()
             if name.startswith("test_")
             and (len(sys.argv) < 4 or name in sys.argv[3:])]
    failed = 0
    for name, test in tests:
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            try:
                test(folder)
            except Exception:  # The other tests are worth their result.
                failed += 1
                print(f"FAILED {name}")
                traceback.print_exc(file=sys.stdout)
    print(f"{len(tests) - failed} of {len(tests)} tests passed")
    sys.exit(1 if failed else 0)
