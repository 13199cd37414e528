#!/usr/bin/env python3
"""Runs clang-tidy over the files that changed since they were last clean.

    tidy.py BUILD

The programs in tests/ are left out. A file's state is the hash of what the compiler sees of it (the preprocessed
text), its command and .clang-tidy; BUILD/tidy holds the hashes of clean ones.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIDY = "clang-tidy-16"


def commands(build):
    entries = json.loads((build / "compile_commands.json").read_text())
    for entry in entries:
        file = pathlib.Path(entry["file"])
        if not file.is_relative_to(ROOT) or file.is_relative_to(build):
            continue
        # Programs that misuse the allocator on purpose are not for it.
        if file.suffix != ".S" and not file.is_relative_to(ROOT / "tests"):
            yield entry


def state_of(entry):
    command = shlex.split(entry["command"])
    if os.path.basename(command[0]) == "ccache":
        command = command[1:]
    output = command.index("-o")
    del command[output:output + 2]
    command[command.index("-c")] = "-E"
    text = subprocess.run(command, cwd=entry["directory"], check=True,
                          stdout=subprocess.PIPE).stdout
    state = hashlib.sha256(text)
    state.update(" ".join(command).encode())
    state.update((ROOT / ".clang-tidy").read_bytes())
    return state.hexdigest()


def check(entry, build, clean):
    """The complaints about one file: empty if there are none."""
    stamp = clean / state_of(entry)
    if stamp.exists():
        return entry["file"], False, ""
    done = subprocess.run([TIDY, "-p", str(build), "--quiet", entry["file"]],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode == 0:
        stamp.touch()
        return entry["file"], True, ""
    return entry["file"], True, done.stdout


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    clean = build / "tidy"
    clean.mkdir(exist_ok=True)
    checked = complaints = total = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, ran, output in pool.map(
                lambda entry: check(entry, build, clean), commands(build)):
            total += 1
            checked += ran
            if output:
                complaints += 1
                print(f"{file}:\n{output}", flush=True)
    print(f"{total} files, {checked} checked now, {complaints} with complaints")
    sys.exit(1 if complaints or not total else 0)


if __name__ == "__main__":
    main()
